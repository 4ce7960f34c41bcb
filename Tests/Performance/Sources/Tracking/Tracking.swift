import Foundation

/// Times a batch of edits on a tracked list at several sizes, against rivals in
/// the same run, and prints a table of medians in milliseconds.
///
/// Arguments: the largest size (default 1000000), and `ours` to leave the
/// rivals out; `options [ROWS]`, which times kept limits and tracked related objects alone; or
/// `fixed KIND CHANGES ROWS SECTIONS BATCHES [localized]`, which makes the same batches each time,
/// for a profiler to look at, and prints their median.
@main
struct Tracking {
  static let kinds = ["update", "move", "insert", "delete", "mix"]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "options" {
      return try Options.measure(rows: arguments.compactMap { Int($0) }.first ?? 1_000_000)
    }
    if arguments.first == "fixed" { return try performFixed(Array(arguments.dropFirst())) }
    let largest = arguments.compactMap { Int($0) }.first ?? 1_000_000
    let alone = arguments.contains("ours")
    for (sections, title) in [(100, "100 sections"), (0, "a section a row")] {
      print("\n\(title); ms, median")
      print(row(["contender", "rows", "changes"] + kinds))
      for size in [1_000, 10_000, 100_000, 1_000_000] where size <= largest {
        let list = rows(size, sections: sections == 0 ? size : sections)
        try measure(Controller.self, list, [1, 100, 1_000])
        if sections > 0 { try measure(LocalizedController.self, list, [1, 100, 1_000]) }
        if alone || sections == 0 { continue }
        try measure(SortedArray.self, list, [1, 100, 1_000])
        try measure(StandardDifference.self, list, [1, 100])
        try measure(Observation.self, list, [1, 100])
      }
    }
  }

  private static func performFixed(_ arguments: [String]) throws {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    guard let kind = arguments.first, kinds.contains(kind), numbers.count == 4 else {
      throw UsageError(description: "fixed KIND CHANGES ROWS SECTIONS BATCHES [localized]")
    }
    let type: Controller.Type =
      arguments.last == "localized" ? LocalizedController.self : Controller.self
    let controller = try type.init(rows: rows(numbers[1], sections: numbers[2]))
    var generator = Edits(count: numbers[1], sections: numbers[2])
    var times: [Double] = []
    for _ in 0..<numbers[3] {
      let edits = generator.batch(kind, numbers[0])
      let start = ContinuousClock.now
      _ = try controller.perform(edits)
      times.append((ContinuousClock.now - start) / .milliseconds(1))
      if let balance = generator.balance(kind, numbers[0]) {
        _ = try controller.perform(balance)
      }
    }
    print(String(format: "%.4f ms", times.sorted()[times.count / 2]))
  }

  private static func rows(_ count: Int, sections: Int) -> [Row] {
    (0..<count).map { Row(section: $0 * sections / count, key: $0 * 10, id: $0 + 1) }
  }

  private static func measure(
    _ type: any Contender.Type, _ list: [Row], _ batches: [Int]
  ) throws {
    let contender = try type.init(rows: list)
    let sections = (list.last?.section ?? 0) + 1
    var generator = Edits(count: list.count, sections: sections)
    for size in batches where size <= list.count / 2 {
      var cells: [String] = []
      for kind in kinds {
        var times: [Double] = []
        let deadline = ContinuousClock.now + .seconds(2)
        while times.count < 3 || (times.count < 400 && ContinuousClock.now < deadline) {
          let edits = generator.batch(kind, size)
          let start = ContinuousClock.now
          _ = try contender.perform(edits)
          times.append((ContinuousClock.now - start) / .milliseconds(1))
          // The list keeps its size, and this time does not count.
          if let balance = generator.balance(kind, size) { _ = try contender.perform(balance) }
        }
        cells.append(String(format: "%.4f", times.sorted()[times.count / 2]))
      }
      print(row([type.name, "\(list.count)", "\(size)"] + cells))
    }
    if let controller = contender as? Controller {
      let bytes = Double(controller.resultsSize) / Double(list.count)
      print(String(format: "  %.1f bytes a row after the fetch", bytes))
    }
  }

  private static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 40 : 12
      let pad = String(repeating: " ", count: max(0, width - cell.count))
      return index == 0 ? cell + pad : pad + cell
    }.joined()
  }
}

/// An error in the arguments.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}

/// Random edits with a fixed seed, the same for every contender.
struct Edits {
  private var state: UInt64 = 42
  private var live: [Int]
  private var places: [Int: Int] = [:]
  private var lastID: Int
  private let sections: Int
  private let keys: Int

  init(count: Int, sections: Int) {
    live = Array(1...count)
    lastID = count
    self.sections = sections
    keys = count * 10
  }

  mutating func batch(_ kind: String, _ size: Int) -> [Edit] {
    var taken: Set<Int> = []
    return (0..<size).map { index in
      switch kind == "mix" ? Tracking.kinds[index % 4] : kind {
      case "insert":
        lastID += 1
        live.append(lastID)
        let key = random(keys)
        return .insert(section: key * sections / (keys + 1), key: key)
      case "delete":
        var place = random(live.count)
        while taken.contains(live[place]) { place = random(live.count) }
        let id = live[place]
        live.swapAt(place, live.count - 1)
        live.removeLast()
        return .delete(id: id)
      case "move":
        let key = random(keys)
        return .move(id: untaken(&taken), section: key * sections / (keys + 1), key: key)
      default: return .update(id: untaken(&taken))
      }
    }
  }

  /// Returns the edits that restore the number of rows after a batch.
  mutating func balance(_ kind: String, _ size: Int) -> [Edit]? {
    switch kind {
    case "insert": batch("delete", size)
    case "delete": batch("insert", size)
    default: nil
    }
  }

  private mutating func untaken(_ taken: inout Set<Int>) -> Int {
    var id = live[random(live.count)]
    while !taken.insert(id).inserted || id == lastID { id = live[random(live.count)] }
    return id
  }

  private mutating func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
