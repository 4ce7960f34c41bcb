package import ScriptSyntax

extension Fuzzer {
  /// The model of those who give none: groups that change places, keys that
  /// are often equal, nil, an entity that inherits, and relationships.
  package static let builtInModel = SourceText(
    name: "built-in model",
    text: """
      entity Team { name: String = "t", members: [Item] inverse team on delete nullify }
      entity Item {
        title: String = "x"
        team: Team? inverse members
        group: String?
        place: Int = 0
        rank: Int = 0
        done: Bool = false
      }
      entity Special : Item { size: Int = 1 }
      controller all = Item sort by rank, title
      controller open = Item where done == NO AND rank > 1 sort by title desc
      controller grouped = Item where rank < 6 sort by group, rank desc section by group
      controller placed = Item sort by place, rank section by group
      controller special = Special sort by rank section by done

      """)
}
