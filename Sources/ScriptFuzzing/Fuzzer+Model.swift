package import ScriptSyntax

extension Fuzzer {
  /// The model that is used if the script has none.
  ///
  /// It has sections that change places, keys that are often equal, nil values, an entity that
  /// inherits, relationships, unique values, and transient attributes.
  package static let builtInModel = SourceText(
    name: "built-in model",
    text: """
      entity Team { name: String?, members: [Item] inverse team on delete nullify, unique name }
      entity Item {
        title: String = "x"
        team: Team? inverse members
        group: String?
        place: Int = 0
        rank: Int = 0
        done: Bool = false
        code: String?
        transient label: String = uppercase(title)
        transient note: String?
        derived folded: String? = 'canonical:(title)'
        unique (code, rank)
      }
      entity Special : Item { size: Int = 1; unique (size, code) }
      controller all = Item sort by rank, title
      controller open = Item where done == NO AND rank > 1 sort by title desc
      controller grouped = Item where rank < 6 sort by group, rank desc section by group
      controller placed = Item sort by place, rank section by group
      controller labelled = Item sort by title using caseInsensitive, rank section by label
      controller first = Item where done == NO sort by rank, title limit 3 offset 1 keep limit
      controller teamed = Item where team.name != "b" sort by team.name, rank section by team.name track related
      controller special = Special sort by rank section by done

      """)
}
