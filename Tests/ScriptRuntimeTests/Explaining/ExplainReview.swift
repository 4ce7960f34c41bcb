import Foundation

/// Independently computes the expected output of `explain` for a controller and a turn.
final class ExplainReview {
  typealias Printed = ExplainedWorld.Printed

  private(set) var faults: [String] = []
  private let controller: PlainController
  private let before: [Int: ExplainedWorld.Values]
  private let after: [Int: ExplainedWorld.Values]
  private let old: PlainRows
  private let new: PlainRows
  private let entries: [Printed]
  /// The books that the turn changed, according to `explain`.
  private var changed: Set<Int> = []
  /// The books that are reported as updates.
  private var kept: Set<Int> = []

  /// - Parameter printed: The output to check.
  init(_ world: ExplainedWorld, _ controller: PlainController, printed: [Printed]? = nil) {
    self.controller = controller
    before = world.before
    after = world.after
    old = controller.rows(before)
    new = controller.rows(after)
    entries = (printed ?? world.printed).filter { $0["controller"] as? String == controller.name }
  }

  func check() {
    for entry in entries where !isOfUnchangedObject(entry) {
      changed.formUnion(numbers(entry))
      if entry["rule"] as? String == "kept-place" { kept.formUnion(numbers(entry)) }
    }
    let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    if !changed.isSuperset(of: differing) {
      fault("nothing is said of \(differing.subtracting(changed).sorted())")
    }
    for entry in entries {
      switch entry["callback"] as? String {
      case "didChangeObject"?: checkRow(entry)
      case "didChangeSection"?: checkSection(entry)
      case nil: checkSilence(entry)
      case "willChangeContent"?: checkBatch(entry)
      default: expect(entry["concerned"] == nil, "said twice", entry)
      }
    }
  }

  private func isOfUnchangedObject(_ entry: Printed) -> Bool {
    (entry["note"] as? String)?.hasPrefix("the object did not change") == true
  }

  private func fault(_ text: String) { faults.append("\(controller.name): \(text)") }

  private func expect(_ isTrue: Bool, _ text: String, _ entry: Printed) {
    guard !isTrue else { return }
    let data = try? JSONSerialization.data(withJSONObject: entry, options: .sortedKeys)
    fault(text + " in " + (data.map { String(decoding: $0, as: UTF8.self) } ?? ""))
  }

  // MARK: What an entry names

  private func number(_ id: Any?) -> Int? {
    guard let id = id as? String, id.hasPrefix("Book/") else { return nil }
    return Int(id.dropFirst("Book/".count))
  }

  private func numbers(_ entry: Printed) -> [Int] {
    let ids = [entry["object"]].compactMap { $0 } + (entry["objects"] as? [Any] ?? [])
    return ids.compactMap(number)
  }

  private func text(_ value: Any?) -> String {
    switch value {
    case let text as String: text
    case let number as NSNumber: number.stringValue
    default: "nil"
    }
  }

  private func place(_ value: Any?) -> PlainController.Place? {
    guard let value = value as? Printed else { return nil }
    return PlainController.Place(
      path: value["indexPath"] as? [Int] ?? [], section: value["section"] as? String,
      previous: number(value["previous"]), next: number(value["next"]))
  }

  // MARK: Batches and silence

  private func checkBatch(_ entry: Printed) {
    let rows = changed.filter { old.place(of: $0) != nil || new.place(of: $0) != nil }
    expect(entry["concerned"] as? Int == rows.count, "concerned", entry)
  }

  private func checkSilence(_ entry: Printed) {
    switch entry["rule"] as? String {
    case "other-entity"?: expect(numbers(entry).isEmpty, "a book is another entity", entry)
    case "stays-outside"?:
      guard let row = numbers(entry).first else { return fault("no object stays outside") }
      expect(old.place(of: row) == nil && new.place(of: row) == nil, "it is a row", entry)
      checkKeys(row, entry, all: true)
      checkPredicate(row, entry)
    default: fault("no reason for silence")
    }
  }

  // MARK: Sections

  private func checkSection(_ entry: Printed) {
    guard let name = entry["name"] as? String else { return fault("a section without a name") }
    let (was, now) = (old.index(ofSection: name), new.index(ofSection: name))
    check(entry["old"], is: was, in: old, entry)
    check(entry["new"], is: now, in: new, entry)
    switch entry["rule"] as? String {
    case "section-filled"?: expect(was == nil && now != nil, "filled", entry)
    case "section-emptied"?: expect(was != nil && now == nil, "emptied", entry)
    case "section-reordered"?:
      expect(flips(section: name, entry["passedSection"] as? String), "reordered", entry)
    default: fault("no rule of sections")
    }
  }

  private func check(_ value: Any?, is index: Int?, in rows: PlainRows, _ entry: Printed) {
    let place = value as? Printed
    expect(place?["index"] as? Int == index, "index", entry)
    expect(place?["rows"] as? Int == index.map { rows.sections[$0].rows.count }, "rows", entry)
  }

  private func flips(section name: String, _ other: String?) -> Bool {
    guard let other, let was = old.index(ofSection: name), let now = new.index(ofSection: name),
      let otherWas = old.index(ofSection: other), let otherNow = new.index(ofSection: other)
    else { return false }
    return (was < otherWas) != (now < otherNow)
  }

  // MARK: Rows

  private func checkRow(_ entry: Printed) {
    guard let row = numbers(entry).first else { return fault("a row without an object") }
    let (was, now) = (old.place(of: row), new.place(of: row))
    expect(place(entry["old"]) == was, "old place \(String(describing: was))", entry)
    expect(place(entry["new"]) == now, "new place \(String(describing: now))", entry)
    let isUnchanged = isOfUnchangedObject(entry)
    if isUnchanged {
      expect(before[row] == after[row], "it did change", entry)
    } else {
      checkKeys(row, entry, all: before[row] != nil && after[row] != nil)
      checkPredicate(row, entry)
    }
    checkRule(row, was, now, entry)
  }

  private func checkKeys(_ row: Int, _ entry: Printed, all: Bool) {
    let keys = entry["keys"] as? [Printed] ?? []
    var named: Set<String> = []
    for printed in keys {
      guard let key = printed["key"] as? String else { continue }
      named.insert(key)
      if let value = printed["old"] {
        expect(text(value) == before[row]?[key], "old \(key)", entry)
      }
      if let value = printed["new"] {
        expect(text(value) == after[row]?[key], "new \(key)", entry)
      }
      let roles = Set(printed["roles"] as? [String] ?? [])
      let isSort = controller.sort.contains { $0.name == key }
      expect(roles.contains("sort") == isSort, "sort role of \(key)", entry)
      expect(roles.contains("section") == (controller.section == key), "section role", entry)
      expect(
        roles.contains("predicate") == controller.predicateKeys.contains(key), "predicate role",
        entry)
    }
    guard all, let old = before[row], let new = after[row] else { return }
    let differing = Set(old.keys.filter { old[$0] != new[$0] })
    expect(named.isSuperset(of: differing), "keys that differ: \(differing)", entry)
    // A row that enters or leaves also shows the keys of its place.
    let isRow = self.old.place(of: row) != nil && self.new.place(of: row) != nil
    if isRow { expect(named == differing, "keys that do not differ", entry) }
  }

  private func checkPredicate(_ row: Int, _ entry: Printed) {
    guard !controller.predicateKeys.isEmpty else {
      return expect(entry["predicate"] == nil, "there is no predicate", entry)
    }
    let predicate = entry["predicate"] as? Printed
    expect(
      predicate?["before"] as? Bool == before[row].map(controller.matches), "before", entry)
    expect(predicate?["after"] as? Bool == after[row].map(controller.matches), "after", entry)
  }

  private func checkRule(
    _ row: Int, _ was: PlainController.Place?, _ now: PlainController.Place?, _ entry: Printed
  ) {
    let passed = (entry["passed"] as? [Any] ?? []).compactMap(number)
    switch entry["rule"] as? String {
    case "created"?: expect(before[row] == nil && now != nil, "created", entry)
    case "started-matching"?:
      expect(before[row] != nil && was == nil && now != nil, "started", entry)
    case "deleted"?: expect(was != nil && after[row] == nil, "deleted", entry)
    case "stopped-matching"?:
      expect(was != nil && after[row] != nil && now == nil, "stopped", entry)
    case "changed-section"?: expect(was?.section != now?.section, "same section", entry)
    case "section-reordered"?:
      let other = entry["passedSection"] as? String
      let names = [was?.section, now?.section].compactMap { $0 }
      expect(names.contains { flips(section: $0, other) }, "no section was passed", entry)
    case "kept-place"?:
      expect(was?.section == now?.section, "another section", entry)
      expect(standing(beside: row, was).allSatisfy { !flips(row, $0) }, "a row passed", entry)
    case "passed-unchanged"?:
      expect(!passed.isEmpty && passed.allSatisfy { flips(row, $0) }, "nothing passed", entry)
      expect(passed.allSatisfy { !changed.contains($0) }, "a changed row passed", entry)
    case "passed-changed"?:
      expect(!passed.isEmpty && passed.allSatisfy { flips(row, $0) }, "nothing passed", entry)
      expect(passed.allSatisfy(kept.contains), "the passed row was not kept", entry)
      let rest = standing(beside: row, was).filter { !kept.contains($0) }
      expect(rest.allSatisfy { !flips(row, $0) }, "an unchanged row passed", entry)
    default: fault("no rule of rows: \(entry["rule"] ?? "")")
    }
  }

  /// Returns the rows of a section that did not change or that keep their places.
  private func standing(beside row: Int, _ was: PlainController.Place?) -> [Int] {
    guard let was else { return [] }
    return old.sections[was.path[0]].rows.filter { other in
      other != row && (!changed.contains(other) || kept.contains(other))
        && new.place(of: other)?.section == was.section
    }
  }

  private func flips(_ row: Int, _ other: Int) -> Bool {
    guard let was = old.stands(row, before: other), let now = new.stands(row, before: other)
    else { return false }
    return was != now
  }
}
