/// A call in one line where that is short enough, otherwise with its arguments on lines of their
/// own.
struct SwiftCall {
  let lines: [String]

  init(_ name: String, _ arguments: [String], end: String) {
    let line = "\(name)(\(arguments.joined(separator: ", "))\(end)"
    guard line.count > 88 else {
      lines = [line]
      return
    }
    let rest = arguments.enumerated().map { index, argument in
      "  " + argument + (index < arguments.count - 1 ? "," : end)
    }
    lines = ["\(name)("] + rest
  }
}
