extension HelpTopic {
  /// The topics about the first steps and the model.
  static let beginning: [HelpTopic] = [
    HelpTopic(
      "start", ["begin", "tutorial", "first"], in: .start,
      [
        "These lines define an entity, make a controller that follows its objects, and insert one. The",
        "controller reports the change to its delegate. frc prints each callback on a line.",
      ],
      example: [
        "entity Book { title: String, publisher: String = \"Ace\", pages: Int = 0 }",
        "controller books = Book sort by title; fetch books",
        "insert Book(title: \"Dune\", pages: 412)",
      ]),
    HelpTopic(
      "callbacks", ["events", "indexpaths"], in: .start,
      [
        "A callback line has the controller, the change, the object and index paths [SECTION, ROW]. Deletes,",
        "moves and updates have the old path; inserts and moves have the new path, after ->.",
      ],
      example: [
        "insert Book(title: \"Emma\")",
        "update Book where title == \"Emma\" { title = \"Abbot\" }",
      ]),
    HelpTopic(
      "crash",
      [
        "crashes", "exception", "exceptions", "replay", "log", "logs", "console",
        "invalid update", "invalid number of", "invalid batch updates", "serious application error",
        "attempt to", "terminating app", "fatal exception", "nsinternalinconsistencyexception",
        "nsrangeexception",
      ], in: .start,
      [
        "Paste a crash text or a console log: frc says what happened, and shows a script that does it again.",
        ":try then runs that script. frc replay FILE reads a whole log. This table forgets an insert:",
      ],
      example: [
        "table forgetful = books { insert nothing }",
        "insert Book(title: \"Persuasion\")",
        "reload forgetful",
      ]),
    HelpTopic(
      "entity", ["attribute", "attributes", "type", "types", "display", "unique"], in: .model,
      [
        "entity NAME { ATTRIBUTE: TYPE [= DEFAULT], … } defines a kind of object; TYPE? may be nil.",
        "Types: String Int Int16 Int32 Int64 Double Float Decimal Bool Date UUID URI Data.",
      ],
      example: [
        "entity Memo { text: String, due: Date?, done: Bool = false, display text }",
        "insert Memo(text: \"buy milk\", due: @2026-11-21)",
      ]),
    HelpTopic(
      "relationships", ["relationship", "inverse", "ordered"], in: .model,
      [
        "NAME: ENTITY? leads to one object, NAME: [ENTITY] to many; inverse NAME is the way back.",
        "on delete nullify, cascade, deny or noAction: what deleting an object does to the other side.",
      ],
      example: [
        "entity Shelf { label: String, boxes: [Box] inverse shelf on delete cascade }",
        "entity Box { label: String, shelf: Shelf? inverse boxes }",
        "let top = insert Shelf(label: \"top\")",
        "let box = insert Box(label: \"maps\", shelf: top)",
        "print top.boxes",
      ]),
    HelpTopic(
      "inheritance", ["abstract", "subentity"], in: .model,
      [
        "entity NAME : PARENT { … } inherits PARENT's properties; an abstract entity has no objects.",
        "A request for PARENT finds objects of NAME too; one for PARENT.self does not.",
      ],
      example: [
        "entity Comic : Book { volume: Int = 1 }",
        "insert Comic(title: \"Akira\")",
        "count Book",
        "count Book.self",
      ]),
    HelpTopic(
      "transient", ["derived", "computed"], in: .model,
      [
        "transient NAME: TYPE = EXPRESSION is computed from the object's attributes when it is read.",
        "A controller can section by it. It cannot be used in sort by or where.",
      ],
      example: [
        "entity Word { text: String, transient initial: String = uppercase(substring(text, 0, 1)) }",
        "let word = insert Word(text: \"abbot\")",
        "print word.initial",
      ]),
    HelpTopic(
      "model", ["version", "stored", "xcdatamodel", "xcdatamodeld"], in: .model,
      [
        "model \"NAME.xcdatamodeld\" [version \"NAME\"] defines the entities of an Xcode model.",
        "show model prints all entities as a script would define them.",
      ],
      example: ["show model"]),
    HelpTopic(
      "store", ["memory", "sqlite", "readonly"], in: .model,
      [
        "store memory is the default and ends with frc. store sqlite \"FILE\" [readonly] is a file in Core",
        "Data's format. Define the entities first: the first statement about objects opens the store.",
      ],
      example: ["store memory"]),
    HelpTopic(
      "migrate", ["was"], in: .model,
      [
        "A store with an older model is migrated when it opens. was NAME gives an older name of an entity",
        "or property. store sqlite \"FILE\" migrate allows the migration to drop data.",
      ],
      example: ["entity Novel was Tale { title: String was name }", "count Novel"]),
  ]
}
