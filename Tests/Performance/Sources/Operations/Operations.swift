import Foundation

/// Times public operations among more and more rows, and ends with status 1 if the time of one
/// grows by more than its documentation says.
///
/// Arguments: the numbers of rows (default 1000 10000 100000 1000000), and a text that the names of
/// the operations contain (default: all).
@main
struct Operations {
  static func main() throws {
    let given = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let text = CommandLine.arguments.dropFirst().first { Int($0) == nil } ?? ""
    let operations = MeasuredOperation.all.filter { text.isEmpty || $0.name.contains(text) }
    let counts = given.isEmpty ? [1_000, 10_000, 100_000, 1_000_000] : given
    print("microseconds of a core; medians of \(MeasuredOperation.repetitions)")
    print(row(["operation", "grows by"] + counts.map { "\($0) rows" } + ["exponent", "at most"]))
    var times: [String: [Double]] = [:]
    for count in counts {
      for kind in World.Kind.allCases {
        for operation in operations where operation.kinds.contains(kind) {
          // Each operation has its own rows, so that none finds what another left.
          times["\(operation.name), \(kind.rawValue)", default: []].append(
            try operation.time(in: World(kind, count: count)))
        }
      }
    }
    var over: [String] = []
    for operation in operations {
      for kind in World.Kind.allCases {
        let name = "\(operation.name), \(kind.rawValue)"
        guard let found = times[name], let first = found.first, let last = found.last else {
          continue
        }
        let (few, many) = (counts[0], counts[counts.count - 1])
        let exponent = log(last / first) / log(Double(many) / Double(few))
        let most = operation.growth.mostExponent(from: few, to: many)
        print(
          row(
            [name, operation.growth.rawValue] + found.map { String(format: "%.2f", $0) } + [
              String(format: "%.2f", exponent), String(format: "%.2f", most),
            ]))
        if counts.count > 1, exponent > most { over.append(name) }
      }
    }
    if over.isEmpty { return }
    print("grow by more: " + over.joined(separator: "; "))
    exit(1)
  }

  private static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(2, (index == 0 ? 50 : 16) - cell.count))
      return index == 0 ? cell + space : space + cell
    }.joined()
  }
}
