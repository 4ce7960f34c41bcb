import ScriptRuntime

extension HelpTopic {
  /// The topics about controllers, and about ways to show their contents.
  static let onControllers: [HelpTopic] = [
    HelpTopic(
      "controller", ["controllers", "frc", "fetchedresultscontroller"], in: .controllers,
      [
        "controller NAME = ENTITY sort by … [where …] [section by …] [cache \"…\"] makes a fetched",
        "results controller. After fetch NAME it follows every change and reports it.",
      ],
      example: [
        "controller thick = Book where pages > 200 sort by pages desc",
        "fetch thick",
        "insert Book(title: \"Ulysses\", pages: 730)",
      ]),
    HelpTopic(
      "change", in: .controllers,
      [
        "change CONTROLLER CLAUSES gives it another request, as an app may at any time. The",
        "next fetch uses it; until then the controller tracks the old one.",
      ],
      example: [
        "change books sort by pages desc",
        "fetch books",
      ]),
    HelpTopic(
      "delegate", ["delegates", "changes", "didchange", "none", "snapshot", "diff", "counts"],
      in: .controllers,
      [
        "delegate CONTROLLER changes receives all four callbacks, didChange only the last,",
        "snapshot and diff the newer forms, counts their numbers. none tracks no changes.",
      ],
      example: [
        "delegate books counts",
        "insert 3 Book(title: \"VALIS \\(i)\")",
        "delegate books changes",
      ]),
    HelpTopic(
      "callback", ["return", "didchangeobject", "didchangecontent", "sectionindextitle"],
      in: .controllers,
      [
        "delegate CONTROLLER { NAME { … } } is a delegate of your own: willChangeContent,",
        "didChangeObject, didChangeSection, didChangeContent, sectionIndexTitle NAME { return … }.",
      ],
      example: [
        "delegate books {",
        "  didChangeObject { print \"\\($type) \\($object)\" }",
        "  didChangeContent { count Book }",
        "}",
        "insert Book(title: \"Eden\")",
        "delegate books changes",
      ]),
    HelpTopic(
      "table", ["tables", "tableview", "uitableview", "view", "reload", "suspend", "resume"],
      in: .controllers,
      [
        "table NAME = CONTROLLER [reload | { REACTIONS }] is a simulated UITableView and the delegate",
        "that follows the controller. reload loads it again; suspended, it misses turns.",
      ],
      example: [
        "table view = books",
        "insert Book(title: \"Kindred\")",
        "show view",
      ]),
    HelpTopic(
      "reactions",
      [
        "reaction", "insertrows", "deleterows", "reloadrows", "moverow", "configurecell", "nothing",
      ],
      in: .controllers,
      [
        "insert, delete, update, move: insertRows deleteRows reloadRows moveRow configureCell reloadData",
        "nothing …; sectionInsert, sectionDelete: insertSections deleteSections. Tab lists them all.",
      ],
      example: [
        "table view = books {",
        "  update nothing",
        "  move deleteRows insertRows",
        "}",
        "Book/1.pages += 1",
        "show view",
        "reload view",
      ]),
    HelpTopic(
      "trace", ["datasource", "cellforrow", "numberofrows"], in: .controllers,
      ["trace TABLE on prints each question to its data source, trace TABLE off ends that."],
      example: ["table view = books", "trace view on", "reload view", "trace view off"]),
    HelpTopic(
      "stepping", ["step", "steps"], in: .controllers,
      [
        "perform stepping { … } shows the table, or the controller, after each callback of the turn;",
        "at the prompt one key goes on, and q runs the rest.",
      ],
      example: ["perform stepping { insert Book(title: \"Babel\") }"]),
    HelpTopic(
      "cache", ["caches"], in: .controllers,
      [
        "cache \"NAME\" keeps a controller's sections until the store changes, for a store in a file also",
        "between runs. caches lists them, delete cache \"NAME\" and delete caches forget them.",
      ],
      example: [
        "controller cached = Book sort by publisher section by publisher cache \"Shelves\"",
        "fetch cached",
        "caches",
        "delete cache \"Shelves\"",
      ]),
    HelpTopic(
      "keep", ["keep limit"], in: .controllers,
      [
        "keep limit lets limit and offset hold while a controller follows changes: when a row leaves,",
        "the next one comes in. Apple's controller cannot do this; change NAME keep limit off ends it.",
      ],
      example: [
        "controller first = Book sort by title limit 2 keep limit",
        "fetch first",
        "insert Book(title: \"Aniara\")",
        "change first keep limit off",
      ]),
    HelpTopic(
      "track", ["track related", "related"], in: .controllers,
      [
        "track related lets a controller report a change of a related object that its sort, section or",
        "predicate reads, as a change of the rows that lead to it. Apple's controller cannot do this.",
      ],
      example: [
        "entity Shop { city: String, offers: [Offer] inverse shop }",
        "entity Offer { name: String, shop: Shop inverse offers }",
        "insert Offer(name: \"Tea\", shop: insert Shop(city: \"Rome\"))",
        "controller offers = Offer sort by shop.city track related",
        "fetch offers",
        "Shop/1.city = \"Oslo\"",
      ]),
    HelpTopic(
      "evaluate", ["match", "matching"], in: .looking,
      [
        "evaluate PREDICATE on OBJECT prints the result of each part of the predicate,",
        "and the values that were compared.",
      ],
      example: ["evaluate pages > 100 AND title CONTAINS[cd] 'u' on Book/1"]),
    HelpTopic(
      "explain", ["why", "reason", "evidence"], in: .looking,
      [
        "explain shows why each callback of the last turn was sent, or why none was: the rule, and",
        "the values it used. explain OBJECT is about one object; :help rules lists the rules.",
      ],
      example: ["update Book where title == \"Dune\" { pages = pages + 10 }", "explain"]),
    HelpTopic(
      "rules", ["rule"], in: .looking,
      [
        "The rules that explain names; Documentation/Rules.md has a page on them, with a script each."
      ]
        + Rule.helpLines,
      example: ["insert Book(title: \"Kim\")", "explain"]),
    HelpTopic(
      "swift", ["code", "xcode", "app", "ios"], in: .looking,
      [
        "Prints Swift for an app: a controller's set-up, table and delegate, an entity's class, a",
        "context's observer, or a function for a fetch, a batch request or a merge.",
      ],
      example: ["swift books", "swift Book", "swift batch delete Book where pages < 10"]),
    HelpTopic(
      "quirk",
      [
        "quirks", "samepathmove", "updateandmove", "sectionchangeasupdate",
        "snapshotswithoutreloads", "unreadmergeslost", "bugs",
      ],
      in: .controllers,
      [
        "quirk samePathMove on, updateAndMove, sectionChangeAsUpdate, snapshotsWithoutReloads,",
        "unreadMergesLost on: behaviour of iOS 9, 8, 3, 14 and 9. All are off at first.",
      ],
      example: [
        "insert 2 Book(title: \"Kim \\(i)\")",
        "quirk updateAndMove on",
        "update Book where title == \"Kim 1\" { title = \"Zen\" }",
        "quirk updateAndMove off",
      ]),
    HelpTopic(
      "show", ["list"], in: .looking,
      [
        "show CONTROLLER prints its sections and rows with their index paths, show CONTROLLER.request",
        "its request; show TABLE draws a table.",
      ],
      example: ["show books", "show books.request"]),
    HelpTopic(
      "objects", ["state"], in: .looking,
      [
        "objects ENTITY prints every object with its state: inserted, updated, deleted, saved, or fault",
        "for one that is read when somebody looks at it next.",
      ],
      example: ["objects Book"]),
    HelpTopic(
      "stats", ["sql", "faults", "statements"], in: .looking,
      [
        "stats prints statements run, rows read, faults fired, and the memory in use. set sql on prints",
        "each statement of a SQLite store as it runs, as Core Data's SQLDebug does; set sql off ends it.",
      ],
      example: ["stats", "set sql on", "set sql off"]),
    HelpTopic(
      "print", ["members", "indexpath"], in: .looking,
      [
        "print VALUE prints a value. A controller has CONTROLLER[SECTION, ROW], .sections,",
        ".fetchedObjects, .sectionIndexTitles, .indexPath(forObject: …). Tab lists them.",
      ],
      example: [
        "print books[0, 0].title",
        "print books.fetchedObjects.count",
        "print books.indexPath(forObject: Book/1)",
      ]),
  ]
}
