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
      "index", ["indexed", "indexes", "fetchindex", "compoundindexes"], in: .model,
      [
        "NAME: TYPE indexed lets a store in a file find and sort by the attribute without a scan.",
        "index NAME (ATTRIBUTE, ATTRIBUTE desc) has several; it changes no result.",
      ],
      example: [
        "entity Ticket { text: String indexed, due: Date?, index byDue (due desc, text) }",
        "insert Ticket(text: \"milk\")",
        "fetch Ticket where text == \"milk\" sort by due desc",
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

extension HelpTopic {
  /// The topics about checks, loops, and the prompt itself.
  static let onControl: [HelpTopic] = [
    HelpTopic(
      "expect", ["assert", "check"], in: .looking,
      ["expect CONDITION fails if the condition is false, and prints the values of both sides."],
      example: ["expect count(Book) > 0"]),
    HelpTopic(
      "try", ["error", "errors", "catch"], in: .looking,
      ["try STATEMENT prints the statement's error, if there is one, and the script continues."],
      example: ["try fetch Book where author == \"Frank\""]),
    HelpTopic(
      "if", ["else", "conditions"], in: .control,
      [
        "if CONDITION { … } else { … } runs the first block if the condition is true, else the second."
      ],
      example: ["if count(Book) > 3 { print \"many\" } else { print \"few\" }"]),
    HelpTopic(
      "loops", ["loop", "for", "repeat", "while", "each"], in: .control,
      [
        "for NAME in VALUES { … } runs once for each value of a range, a list or a controller's objects.",
        "repeat COUNT { … } runs COUNT times. Each statement in the block is a turn of its own.",
      ],
      example: [
        "for i in 1...2 { insert Book(title: \"Part \\(i)\") }",
        "for b in books.fetchedObjects { print b.title }",
        "repeat 2 { Book/1.pages += 1 }",
      ]),
    HelpTopic(
      "include", ["alone", "file", "run", "script"], in: .control,
      [
        "include \"FILE\" runs the statements of a file in this session.",
        "include \"FILE\" alone runs them in a session of their own.",
      ],
      example: ["try include \"setup.frc\"", "count Book"],
      files: ["setup.frc": "insert Book(title: \"Emma\")\ninsert Book(title: \"Kim\")\n"]),
    HelpTopic(
      "set", ["clock", "locale", "now"], in: .control,
      [
        "set clock DATE sets the value of now(). set locale NAME sets the order of localized sorts. set nil",
        "apple compares nil as SQL does, for a store in a file; set nil memory turns this off.",
      ],
      example: [
        "set clock @2026-11-21T09:00:00Z",
        "set locale ja",
        "print now()",
      ]),
    HelpTopic(
      "test", ["tests", "golden", "goldens", "#>"], in: .around,
      [
        "A script is a test if lines that begin with #> contain the output of the statement above them.",
        "frc test FILE compares them, frc test --update FILE writes them. The prompt ignores them.",
      ],
      example: [
        "print 1 + 1",
        "#> 2",
      ]),
    HelpTopic(
      "learn", ["lesson", "lessons", "course", "prediction", "#?"], in: .around,
      [
        "frc learn is a course about change tracking. :predict on asks you before each turn what it will",
        "send. In a script, #? lines predict callbacks, and frc test explains each wrong one.",
      ],
      example: [
        "print 1 + 1",
        "#? 2",
      ]),
    HelpTopic(
      "directives", ["directive", "#@", "patterns"], in: .around,
      [
        "A line with #@ sets an option of a test: skip, xfail, tag, requires, matrix, timeout, unordered.",
        "In an expected line, [..] matches any text. A line … matches any number of lines.",
      ],
      example: [
        "#@ unordered",
        "print \"Book/12 was saved\"",
        "#> Book/[..] was saved",
      ]),
    HelpTopic(
      "fuzz", ["fmt", "formatter", "reduce"], in: .around,
      [
        "frc fmt FILE formats a script. frc fuzz FILE makes random turns over its model, and prints a",
        "failure as a script. frc reduce FILE shortens a failing script.",
      ],
      example: [
        "entity Item { rank: Int = 0 }",
        "controller items = Item sort by rank",
        "fetch items",
        "insert Item(rank: 3)",
      ]),
    HelpTopic(
      "comments", ["comment", "#"], in: .around,
      [
        "A line that begins with # is a comment. A comment after a statement needs blanks around the #."
      ],
      example: ["count Book   # how many there are"]),
    HelpTopic(
      "results", ["result", "_"], in: .around,
      [
        "At the prompt, a value alone is printed. _ is the last value, and _1, _2 and so on are all of them.",
        "The objects of a fetch are saved in the same way. NAME? and Book/1? show what that is.",
      ],
      example: ["print books.fetchedObjects.count"]),
    HelpTopic(
      "output", ["more", "page", "markdown", "format"], in: .around,
      [
        "If output is longer than the window, only its first and last rows are shown. :more, :page or :all",
        "shows the others. :mode table, csv, markdown or json changes the format of rows; so does --format.",
      ],
      example: ["fetch Book"]),
    HelpTopic(
      "config", ["configuration", "theme", "colors", "plain"], in: .around,
      [
        "Every prompt first runs the statements and commands in ~/.config/frc/config.frc.",
        ":theme colorblind uses no red and green. frc --plain is for screen readers.",
      ],
      example: ["show model"]),
    HelpTopic(
      "keys", ["key", "keyboard", "history", "tab", "editing", "search"], in: .around,
      [
        "The keys are those of shells and Emacs; :keys lists them.",
        "Tab completes names, key paths, the values of your data, and objects by title;",
        "on an empty line it suggests the next statement.",
        "Ctrl-_ undoes a change, and Ctrl-X Ctrl-E opens the entry in your editor.",
        "For vi's keys, write bind -v in ~/.editrc; [N] then marks its command mode.",
      ]),
    HelpTopic(
      "panes", ["pane", "strip"], in: .around,
      [
        ":pane books shows a controller's sections beside the line; + - > * ! mark what the last turn did.",
        "Ctrl-O opens the timeline, Alt-E explains the turn, and :would shows what a statement would send.",
      ],
      example: ["controller shelf = Book sort by title", "fetch shelf", "show shelf"]),
  ]
}
