/// A call on one line if it is short enough, or else with one argument per line.
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
