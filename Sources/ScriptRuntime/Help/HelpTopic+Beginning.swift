extension HelpTopic {
  /// How to begin, and the model.
  static let beginning: [HelpTopic] = [
    HelpTopic(
      "start", ["begin", "tutorial", "first"], in: .start,
      [
        "An entity, a controller that follows its objects, and a first change: the controller",
        "reports it to its delegate, and each callback is a line.",
      ],
      example: [
        "entity Book { title: String, publisher: String = \"Ace\", pages: Int = 0 }",
        "controller books = Book sort by title",
        "fetch books",
        "insert Book(title: \"Dune\", pages: 412)",
      ]),
    HelpTopic(
      "callbacks", ["events", "indexpaths"], in: .start,
      [
        "A callback names the controller, the change, the object and its index path [SECTION, ROW].",
        "Deletes, moves and updates tell where it was, inserts and moves where it is (->).",
      ],
      example: [
        "insert Book(title: \"Emma\")",
        "update Book where title == \"Emma\" { title = \"Abbot\" }",
      ]),
    HelpTopic(
      "entity", ["attribute", "attributes", "type", "types", "model", "display"], in: .model,
      [
        "entity NAME { ATTRIBUTE: TYPE [= DEFAULT], … } defines a kind of object; TYPE? may be nil.",
        "Types: String Int Int16 Int32 Int64 Double Float Decimal Bool Date UUID URI Data.",
      ],
      example: [
        "entity Memo { text: String, due: Date?, done: Bool = false, display text }",
        "insert Memo(text: \"buy milk\", due: @2026-11-21)",
      ]),
    HelpTopic(
      "store", ["memory"], in: .model,
      ["store memory keeps what is saved in memory, until frc ends. It is the default."],
      example: ["store memory"]),
  ]
}
