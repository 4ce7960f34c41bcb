/// Which parts of a source tree depend on which others.
///
/// A part is a target, or a folder of one. An arrow leads from a target to each one that it
/// imports, and from a folder to each one whose types its files use. A type that several folders
/// declare gives no arrow. Only types count, not functions.
package struct Arrows: Sendable {
  /// The destinations of each part's arrows, with the types that cause them.
  package private(set) var arrows: [String: [String: Set<String>]] = [:]

  /// Finds the arrows between targets.
  ///
  /// - Parameter files: The text of each file, with its target.
  /// - Complexity: O(*n*) in the texts.
  package init(importsOf files: [(room: String, text: String)]) {
    let targets = Set(files.map(\.room))
    for (target, text) in files {
      for module in SwiftWords(text).imports.intersection(targets) {
        arrows[target, default: [:]][module, default: []].insert("import")
      }
      arrows[target, default: [:]].merge([:]) { $1 }
    }
  }

  /// Finds the arrows between folders.
  ///
  /// - Parameter files: The text of each file, with its folder.
  /// - Complexity: O(*n*) in the texts.
  package init(typesOf files: [(room: String, text: String)]) {
    let words = files.map { ($0.room, SwiftWords($0.text)) }
    var rooms: [String: Set<String>] = [:]
    for (room, words) in words {
      for type in words.declaredTypes { rooms[type, default: []].insert(room) }
    }
    for (room, words) in words {
      arrows[room, default: [:]].merge([:]) { $1 }
      for word in words.capitalized {
        guard let owners = rooms[word], owners.count == 1, let owner = owners.first, owner != room
        else { continue }
        arrows[room, default: [:]][owner, default: []].insert(word)
      }
    }
  }

  /// The parts in an order in which every arrow leads to an earlier one.
  ///
  /// The parts of a cycle are in one group.
  ///
  /// - Complexity: O(*r* + *a*) in parts and arrows.
  package var layers: [[String]] {
    var search = CycleSearch(arrows: arrows.mapValues { $0.keys.sorted() })
    for room in arrows.keys.sorted() { search.visit(room) }
    return search.groups
  }

  /// The groups of parts in which each one leads to every other one.
  package var cycles: [[String]] { layers.filter { $0.count > 1 } }

  /// One line for each part, with the destinations of its arrows.
  package var description: String {
    let rooms = layers.flatMap(\.self)
    let width = rooms.map(\.count).max() ?? 0
    return rooms.map { room in
      let targets = (arrows[room] ?? [:]).keys.sorted().joined(separator: ", ")
      let name = room + String(repeating: " ", count: width - room.count)
      return targets.isEmpty ? room : "\(name) -> \(targets)"
    }.joined(separator: "\n")
  }

  /// Describes a cycle: each arrow inside it, with the types that cause it.
  package func explanation(of cycle: [String]) -> String {
    cycle.flatMap { room in
      (arrows[room] ?? [:]).sorted { $0.key < $1.key }.filter { cycle.contains($0.key) }.map {
        "\(room) -> \($0.key): \($0.value.sorted().joined(separator: ", "))"
      }
    }.joined(separator: "\n")
  }
}

/// Tarjan's search for groups of parts that lead to each other.
private struct CycleSearch {
  let arrows: [String: [String]]
  private(set) var groups: [[String]] = []
  private var numbers: [String: Int] = [:]
  private var lowest: [String: Int] = [:]
  private var open: [String] = []

  init(arrows: [String: [String]]) { self.arrows = arrows }

  mutating func visit(_ room: String) {
    guard numbers[room] == nil else { return }
    let number = numbers.count
    numbers[room] = number
    var low = number
    open.append(room)
    for target in arrows[room] ?? [] {
      if let known = numbers[target] {
        if open.contains(target) { low = min(low, known) }
      } else {
        visit(target)
        low = min(low, lowest[target] ?? low)
      }
    }
    lowest[room] = low
    guard low == number, let start = open.firstIndex(of: room) else { return }
    groups.append(open[start...].sorted())
    open.removeSubrange(start...)
  }
}
