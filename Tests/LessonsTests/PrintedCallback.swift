/// A callback as frc prints it, read by the test's own words, and written in other ways.
struct PrintedCallback: Equatable {
  enum Kind { case frame, object, section, other }

  struct Path: Equatable {
    var section: Int
    var row: Int
    var text: String { "[\(section), \(row)]" }
  }

  private(set) var full: String
  var kind = Kind.other
  private var controller = ""
  private var type = ""
  private var id = ""
  private(set) var name = ""
  private var index = 0
  private var old: Path?
  private var new: Path?
  private var frame = ""

  init(_ line: String) {
    full = line
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 1 else { return }
    controller = words[0]
    if words.count == 2, ["willChangeContent", "didChangeContent"].contains(words[1]) {
      kind = .frame
      frame = words[1]
    } else if words.count > 3, words[1] == "didChange" {
      type = words[3]
      let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
      name = quoted.count > 2 ? String(quoted[1]) : ""
      if words[2] == "section" {
        kind = .section
        type = words[3 - 0]
        index = Int(words[4]) ?? 0
      } else {
        kind = .object
        id = words[4]
        readPaths(String(quoted.count > 2 ? quoted[2] : quoted[0].dropFirst(0)))
      }
    }
  }

  private mutating func readPaths(_ text: String) {
    var paths: [Path] = []
    for part in text.split(separator: "[").dropFirst() {
      let numbers = part.prefix { $0 != "]" }.split { !$0.isNumber }.compactMap { Int($0) }
      if numbers.count == 2 { paths.append(Path(section: numbers[0], row: numbers[1])) }
    }
    switch type {
    case "insert": new = paths.first
    case "delete": old = paths.first
    case "update": (old, new) = (paths.first, paths.last)
    default: (old, new) = (paths.first, paths.last)
    }
  }

  private init(
    _ other: PrintedCallback, type: String? = nil, id: String? = nil, name: String? = nil,
    index: Int? = nil, old: Path?? = nil, new: Path?? = nil, controller: String? = nil,
    frame: String? = nil
  ) {
    kind = other.kind
    self.controller = controller ?? other.controller
    self.type = type ?? other.type
    self.id = id ?? other.id
    self.name = name ?? other.name
    self.index = index ?? other.index
    self.old = old ?? other.old
    self.new = new ?? other.new
    self.frame = frame ?? other.frame
    full = ""
    self = PrintedCallback(remade: self)
  }

  /// The same callback with its full line written again.
  private init(remade other: PrintedCallback) {
    kind = other.kind
    (controller, type, id, name) = (other.controller, other.type, other.id, other.name)
    (index, old, new, frame) = (other.index, other.old, other.new, other.frame)
    let named = other.name.isEmpty && other.kind == .object ? "" : " \"\(other.name)\""
    switch other.kind {
    case .frame: full = "\(other.controller) \(other.frame)"
    case .section:
      full = "\(other.controller) didChange section \(other.type) \(other.index)\(named)"
    case .object:
      full =
        "\(other.controller) didChange object \(other.type) \(other.id)\(named) \(other.paths)"
    case .other: full = other.full
    }
  }

  private var isUpdateInPlace: Bool { type == "update" && old == new }

  private var paths: String {
    if isUpdateInPlace { return old?.text ?? "" }
    return [old?.text, new.map { "-> " + $0.text }].compactMap(\.self).joined(separator: " ")
  }

  static func word(_ number: Int) -> String {
    let words = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ]
    return words.indices.contains(number) ? words[number] : "\(number)"
  }

  // MARK: Other words

  var short: String {
    switch kind {
    case .frame: frame
    case .section: "section \(type) \(index) \"\(name)\""
    case .object: "\(type) \(id) \(paths)"
    case .other: full
    }
  }

  var shortNamed: String { kind == .frame ? full : controller + " " + short }

  /// Without the blanks that nobody needs.
  var tight: String {
    kind == .object ? short.replacing(", ", with: ",").replacing(" -> ", with: "->") : short
  }

  var fromTo: String {
    switch kind {
    case .frame: frame
    case .section: "\(type) section \(index)"
    case .object:
      switch type {
      case "insert": "insert \(id) at \(new?.text ?? "")"
      case "delete": "delete \(id) from \(old?.text ?? "")"
      case "update" where isUpdateInPlace: "update \(id) at \(old?.text ?? "")"
      default: "\(type) \(id) from \(old?.text ?? "") to \(new?.text ?? "")"
      }
    case .other: full
    }
  }

  var apple: String {
    switch kind {
    case .frame: "controller" + frame.prefix(1).uppercased() + frame.dropFirst()
    case .section: "didChangeSection \(type) \(index) \"\(name)\""
    case .object: "didChangeObject \(type) \(id) \(paths)"
    case .other: full
    }
  }

  var appleSwift: String {
    switch kind {
    case .frame: apple + "(_:)"
    case .section: "controller(_:didChange:atSectionIndex:for:) .\(type) \(index)"
    case .object: "controller(_:didChange:at:for:newIndexPath:) .\(type) \(id) \(paths)"
    case .other: full
    }
  }

  /// With numbers as words.
  var words: String {
    func path(_ path: Path?) -> String {
      path.map { "[\(Self.word($0.section)), \(Self.word($0.row))]" } ?? ""
    }
    switch kind {
    case .frame: return frame
    case .section: return "section \(type) \(Self.word(index))"
    case .object:
      if isUpdateInPlace { return "update \(id) \(path(old))" }
      let parts = [old.map { path($0) }, new.map { "-> " + path($0) }]
      return "\(type) \(id) " + parts.compactMap(\.self).joined(separator: " ")
    case .other: return full
    }
  }

  var passive: String {
    let done = ["insert": "inserted", "delete": "deleted", "update": "updated", "move": "moved"]
    switch kind {
    case .frame: return frame
    case .section: return "section \(index) is \(done[type] ?? type)."
    case .object:
      return id + " is "
        + fromTo.replacing("\(type) \(id)", with: done[type] ?? type) + "."
    case .other: return full
    }
  }

  /// As in a list of steps.
  var numbered: String { "- " + short }

  var swiftPaths: String {
    func path(_ path: Path?) -> String {
      path.map { "IndexPath(row: \($0.row), section: \($0.section))" } ?? ""
    }
    guard kind == .object else { return short }
    if isUpdateInPlace { return "update \(id) \(path(old))" }
    let parts = [old.map { path($0) }, new.map { "-> " + path($0) }]
    return "\(type) \(id) " + parts.compactMap(\.self).joined(separator: " ")
  }

  /// By the shown name, or the section's name, alone.
  var byName: String {
    switch kind {
    case .frame: frame
    case .section: "section \(type) \"\(name)\""
    case .object: "\(type) \"\(name)\" \(paths)"
    case .other: full
    }
  }

  // MARK: One step away

  /// Other callbacks that differ in one part.
  var neighbors: [PrintedCallback] {
    var found: [PrintedCallback] = []
    switch kind {
    case .frame:
      found.append(
        PrintedCallback(
          self, frame: frame == "willChangeContent" ? "didChangeContent" : "willChangeContent"))
      found.append(PrintedCallback(self, controller: "films"))
    case .section:
      found.append(PrintedCallback(self, type: type == "insert" ? "delete" : "insert"))
      found.append(PrintedCallback(self, index: index + 1))
      found.append(PrintedCallback(self, name: name + "x"))
    case .object:
      for other in ["insert", "delete", "update", "move"] where other != type {
        let from = old ?? new
        let to = new ?? old
        found.append(
          PrintedCallback(
            self, type: other, old: .some(other == "insert" ? nil : from),
            new: .some(other == "delete" ? nil : other == "update" ? from : to)))
      }
      found.append(PrintedCallback(self, id: id.prefix { $0 != "/" } + "/99"))
      for step in [(0, 1), (1, 0)] {
        let moved = { (path: Path?) in
          path.map { Path(section: $0.section + step.0, row: $0.row + step.1) }
        }
        if isUpdateInPlace {
          found.append(PrintedCallback(self, old: .some(moved(old)), new: .some(moved(new))))
        } else {
          if old != nil { found.append(PrintedCallback(self, old: .some(moved(old)))) }
          if new != nil { found.append(PrintedCallback(self, new: .some(moved(new)))) }
        }
      }
      if let old, let new, old != new {
        found.append(PrintedCallback(self, old: .some(new), new: .some(old)))
      }
      if !name.isEmpty { found.append(PrintedCallback(self, name: name + "x")) }
      found.append(PrintedCallback(self, controller: "films"))
    case .other: break
    }
    // A short form may leave the name and the controller out, so these differ only in full.
    return found.filter { $0.full != full }
  }

  /// Lines that say something impossible besides.
  var contradictions: [String] {
    if kind == .section {
      return [
        "section \(type) \(index) Zz", "section \(type) \(index) \(name == "A" ? "B" : "A")",
        "section \(type)", "section \(type) \(index) \(index)", "section update \(index)",
        "section \(type) [\(index), 0]", "\(type) \(index)",
      ]
    }
    guard kind == .object else { return [] }
    switch type {
    case "insert":
      let path = new?.text ?? ""
      return [
        "insert \(id) \(path) -> \(path)", "insert \(id) \"Wrong\" \(path)",
        "insert \(id) from \(path)", "insert \(id)", "insert delete \(id) \(path)",
        "insert \(id) \(id)x \(path)",
      ]
    case "delete":
      let path = old?.text ?? ""
      return [
        "delete \(id) -> \(path)", "delete \(id) \(path) -> [0, 5]", "delete \(id) to \(path)",
        "delete \(id)", "delete section \(id) \(path)",
      ]
    case "move":
      return [
        "move \(id) \(old?.text ?? "")", "move \(id) -> \(new?.text ?? "")", "move \(id)",
        "move \(old?.text ?? "") -> \(new?.text ?? "")",
      ]
    default: return ["update \(id)", "update \(id) \(old?.text ?? "") -> [7, 7]"]
    }
  }
}
