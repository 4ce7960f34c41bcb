import ScriptSyntax

extension ScriptEdits {
  /// An object that a script names, as in `Book/3`.
  private struct NamedObject {
    let range: Range<Int>
    let entity: String
    /// The root entity, which numbers the objects of all its subentities.
    let root: String
    let number: Int

    /// Returns an edit that lowers the object's number by this count.
    func countedDown(by count: Int) -> Replacement {
      Replacement(range, "\(entity)/\(number - count)")
    }
  }

  /// Edits that remove inserts and count down the numbers of later objects, and edits that replace
  /// single objects by earlier ones.
  var renumberings: [[Replacement]] {
    let objects = namedObjects
    return withoutInserts(objects)
      + objects.filter { $0.number > 1 }.flatMap { object in
        [[object.countedDown(by: object.number - 1)], [object.countedDown(by: 1)]]
      }
  }

  private func withoutInserts(_ objects: [NamedObject]) -> [[Replacement]] {
    let roots = roots
    return script.statements.flatMap(\.withInner).flatMap { statement -> [[Replacement]] in
      guard case .insert(let insert) = statement.kind, insert.count == nil else { return [] }
      let root = roots[insert.entity.text] ?? insert.entity.text
      let numbered = objects.filter { $0.root == root }
      // The number that the object gets is known only when the script runs.
      return Set(numbered.map(\.number)).sorted().map { first in
        let edits =
          numbered.filter { $0.number >= first }.map { $0.countedDown(by: 1) }
          + [Replacement(withLine(statement.range), "")]
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
      }
    }
  }

  private var namedObjects: [NamedObject] {
    let roots = roots
    return script.objects.map { range in
      let parts = script.source.text(in: range).split(separator: "/").map(String.init)
      return NamedObject(
        range: range, entity: parts[0], root: roots[parts[0]] ?? parts[0],
        number: Int(parts[1]) ?? 0)
    }
  }

  private var roots: [String: String] {
    var roots: [String: String] = [:]
    for case .entity(let entity) in script.statements.map(\.kind) {
      roots[entity.name.text] = entity.parent.map { roots[$0.text] ?? $0.text } ?? entity.name.text
    }
    return roots
  }
}
