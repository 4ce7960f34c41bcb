extension HelpTopic {
  /// The topics about inserting, changing and deleting objects.
  static let onObjects: [HelpTopic] = [
    HelpTopic(
      "insert", ["new", "create", "add"], in: .objects,
      [
        "insert ENTITY(ATTRIBUTE: VALUE, …) inserts an object. Other attributes get their default.",
        "insert COUNT ENTITY(…) inserts many, and i counts them from 1.",
      ],
      example: [
        "insert Book(title: \"Ubik\", publisher: \"Doubleday\")",
        "insert 3 Book(title: \"Volume \\(i)\", pages: 100 * i)",
      ]),
    HelpTopic(
      "let", ["variable", "variables", "assign", "="], in: .objects,
      [
        "let NAME = VALUE names a value or an object; OBJECT.ATTRIBUTE = VALUE changes an object.",
        "The printed name of an object works too: Book/1.",
      ],
      example: [
        "let solaris = insert Book(title: \"Solaris\")",
        "solaris.pages = 204",
        "Book/1.pages += 10",
      ]),
    HelpTopic(
      "update", ["change-objects"], in: .objects,
      [
        "update ENTITY [where PREDICATE] { ATTRIBUTE = VALUE, … } changes every object that matches.",
        "Inside the braces, a name is an attribute of the object, and $NAME is a variable.",
      ],
      example: [
        "update Book where publisher == \"Ace\" { pages = pages + 1, publisher = \"Tor\" }"
      ]),
    HelpTopic(
      "delete", ["remove"], in: .objects,
      [
        "delete OBJECT deletes one object, delete ENTITY [where PREDICATE] every object that matches."
      ],
      example: [
        "let spare = insert Book(title: \"Spare\")",
        "delete spare",
        "delete Book where pages > 1000",
      ]),
    HelpTopic(
      "import", ["csv", "json", "load"], in: .objects,
      [
        "import \"FILE.csv\" into ENTITY inserts an object for each row. The first row names attributes.",
        "FILE.json is an array of objects. Rows that do not fit are left out and reported.",
      ],
      example: ["try import \"books.csv\" into Book", "count Book"],
      files: ["books.csv": "title,pages\nEmma,474\nKim,368\n"]),
    HelpTopic(
      "hooks",
      [
        "hook", "awakefrominsert", "awakefromfetch", "willsave", "didsave", "preparefordeletion",
        "validatefordelete", "self",
      ], in: .objects,
      [
        "on HOOK { … } in an entity runs at that moment of an object's life; self is the object:",
        "awakeFromInsert, awakeFromFetch, willSave, didSave, prepareForDeletion, validateForDelete.",
      ],
      example: [
        "entity Page { text: String, edited: Date?, on awakeFromInsert { self.edited = now() } }",
        "print (insert Page(text: \"1\")).edited",
      ]),
    HelpTopic(
      "save", ["rollback", "reset"], in: .objects,
      [
        "save checks the changes and writes them to the store. rollback drops them, and reset also drops",
        "all objects from memory. Controllers report changes before they are saved.",
      ],
      example: [
        "save",
        "insert Book(title: \"A mistake\")",
        "rollback",
      ]),
    HelpTopic(
      "obtain", ["objectid", "istemporaryid", "permanent", "temporary", "ids"], in: .objects,
      [
        "obtain permanent ids [for OBJECT] gives new objects their final IDs before the save, so that",
        "snapshots stay valid. OBJECT.objectID.isTemporaryID shows which kind an object has.",
      ],
      example: [
        "let fresh = insert Book(title: \"Fresh\")",
        "print fresh.objectID.isTemporaryID",
        "obtain permanent ids for fresh",
        "print fresh.objectID.isTemporaryID",
      ]),
    HelpTopic(
      "undo", ["redo"], in: .objects,
      [
        "undo reverts the changes of the last turn, and redo applies them again. Controllers report both",
        "like other changes. You can undo after a save, but not after a rollback.",
      ],
      example: [
        "insert Book(title: \"A mistake\")",
        "undo",
        "redo",
      ]),
    HelpTopic(
      "perform", ["process", "turn", "turns"], in: .objects,
      [
        "Each statement is a turn (one pass of the run loop), at whose end controllers report. perform { … }",
        "makes one turn of several statements. process reports what has changed so far.",
      ],
      example: [
        "perform {",
        "  insert Book(title: \"Foundation\")",
        "  Book/1.pages += 1",
        "}",
      ]),
    HelpTopic(
      "values", ["value", "literals", "dates", "date", "strings", "numbers", "functions"],
      in: .objects,
      [
        " \"text \\(value)\" 'text' 42 -3.5 true nil @2026-11-21 @2026-11-21T09:30:00Z [1, 2] 1...9 Book/3",
        " Functions: uppercase lowercase length substring string abs floor ceiling min max now uuid …",
      ],
      example: [
        "print uppercase(Book/1.title) + \" has \\(Book/1.pages) pages\"",
        "print max(3, 4) * 2",
      ]),
  ]
}

extension HelpTopic {
  /// The topics about several contexts, and about changes that pass between them.
  static let onContexts: [HelpTopic] = [
    HelpTopic(
      "context", ["contexts", "background", "parent", "child"], in: .objects,
      [
        "context NAME [parent NAME] makes another context, on the store or on a parent. perform NAME { … }",
        "runs statements in it. Other contexts get its saved changes only when you merge them.",
      ],
      example: [
        "context bg",
        "perform bg { insert Book(title: \"Solaris\"); save }",
        "merge bg into main",
      ]),
    HelpTopic(
      "merge", ["automerge", "refresh", "merging"], in: .objects,
      [
        "merge A into B merges A's last save; after automerge B on, B merges each save at its next turn.",
        "refresh OBJECT reads the store's values, refresh OBJECT merging keeps unsaved ones.",
      ],
      example: [
        "automerge main on",
        "save",
        "refresh Book/1",
        "refresh all",
      ]),
    HelpTopic(
      "observe", ["notifications", "notification", "objectsdidchange"], in: .objects,
      [
        "observe CONTEXT prints its notifications: objectsDidChange, willSave and didSave, with the",
        "objects under each key. observe CONTEXT off stops this.",
      ],
      example: [
        "observe main",
        "observe main off",
      ]),
    HelpTopic(
      "batch", ["nsbatchdeleterequest", "nsbatchupdaterequest"], in: .objects,
      [
        "batch insert, update and delete change the store directly, past contexts and validation.",
        "merge batch into NAME updates a context, but not after a request with 'returning count'.",
      ],
      example: [
        "save",
        "batch update Book where pages > 100 { publisher = \"Tor\" }",
        "merge batch into main",
        "batch delete Book where title == \"Nobody's\" returning count",
        "batch insert 2 Book(title: \"Part \\(i)\")",
        "merge batch into main",
      ]),
    HelpTopic(
      "extension", ["widget", "processes", "transactions", "author", "remotechanges"], in: .objects,
      [
        "extension \"AUTHOR\" { … } runs as another process on the store's file. history prints the saves, if",
        "the store was opened with history. merge history into main merges the saves of others.",
      ],
      example: [
        "try history",
        "try extension \"widget\" { insert Book(title: \"Emma\"); save }",
        "try merge history into main",
      ]),
    HelpTopic(
      "policy", ["conflict", "conflicts", "storetrump", "objecttrump", "overwrite"], in: .objects,
      [
        "set policy chooses what a save does if another context saved an object first: error,",
        "storeTrump or objectTrump by attribute, overwrite or rollback for the whole object.",
      ],
      example: [
        "set policy objectTrump",
        "context importer policy storeTrump",
      ]),
  ]
}
