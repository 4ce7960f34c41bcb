/// A file with one function for an app that does the same as a statement of a script.
struct SwiftFunction {
  /// The statement in the script, which is shown above the function.
  let statement: String
  let name: String
  /// The declarations of the parameters before the context.
  var parameters: [String] = []
  /// The type of the result; nil for none.
  var result: String?
  var isThrowing = true
  /// The declaration of the context; nil if the function has no such parameter.
  var context: String? = "in context"
  let body: [String]

  /// The lines of the file.
  var lines: [String] {
    let comment = statement.comment("///")
    let ending = "\(isThrowing ? " throws" : "")\(result.map { " -> \($0)" } ?? "") {"
    let all = parameters + (context.map { ["\($0): NSManagedObjectContext"] } ?? [])
    let line = "func \(name)(\(all.joined(separator: ", ")))\(ending)"
    let head =
      line.count <= 96
      ? [line] : ["func \(name)("] + all.listed() + [")\(ending)"]
    return ["import CoreData", ""] + comment + head + body.indented() + ["}"]
  }
}

extension [String] {
  /// Returns the parameters, one per line.
  fileprivate func listed() -> [String] {
    enumerated().map { "  \($1)\($0 < count - 1 ? "," : "")" }
  }
}
