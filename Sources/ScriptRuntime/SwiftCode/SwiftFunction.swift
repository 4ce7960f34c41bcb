/// A file with one function for an app, which does as a statement of a script does.
struct SwiftFunction {
  /// The statement in the script, which is above the function.
  let statement: String
  let name: String
  /// The parameters before the context, as they are declared.
  var parameters: [String] = []
  /// What it returns; nil for nothing.
  var result: String?
  var isThrowing = true
  /// How the context is declared; nil if the function takes none by itself.
  var context: String? = "in context"
  let body: [String]

  /// The file's lines.
  var lines: [String] {
    let comment = statement.split(separator: "\n").map { "/// \($0)" }
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
  /// The parameters, each on a line of its own.
  fileprivate func listed() -> [String] {
    enumerated().map { "  \($1)\($0 < count - 1 ? "," : "")" }
  }
}
