extension HelpTopic {
  /// Requests, controllers, and how to look at what they have.
  static let onResults: [HelpTopic] = [
    HelpTopic(
      "fetch", ["rows", "performfetch"], in: .requests,
      [
        "fetch ENTITY [CLAUSES] prints the objects that match; fetch CONTROLLER gets its results.",
        "Clauses: where, sort by, section by, limit, offset, batch, cache.",
      ],
      example: ["fetch Book where pages > 100 sort by pages desc limit 5"]),
    HelpTopic(
      "count", in: .requests,
      ["count ENTITY [CLAUSES] prints how many objects match; it is a value, too."],
      example: [
        "count Book where pages > 100",
        "let long = count(Book where pages > 100)",
      ]),
    HelpTopic(
      "where",
      ["predicate", "predicates", "and", "or", "not", "contains", "like", "matches", "in"],
      in: .requests,
      [
        "where PREDICATE keeps what matches: a predicate as NSPredicate has it, $NAME for a variable.",
        "== != < > BETWEEN IN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES, [cd], AND OR NOT, ( )",
      ],
      example: [
        "let least = 100",
        "fetch Book where title CONTAINS[cd] 'u' AND pages >= $least",
        "fetch Book where publisher IN {'Ace', 'Tor'} OR pages BETWEEN {1, 99}",
      ]),
    HelpTopic(
      "sort", ["sort by", "order", "using", "desc", "asc"], in: .requests,
      [
        "sort by ATTRIBUTE [desc] [using HOW], … puts results in order; equal ones by their number.",
        "HOW: caseInsensitive, localized, localizedCaseInsensitive, localizedStandard.",
      ],
      example: ["fetch Book sort by publisher desc, title using localizedStandard"]),
    HelpTopic(
      "section", ["section by", "sections"], in: .requests,
      [
        "section by ATTRIBUTE parts a controller's results; the first sort must keep each section",
        "together.",
      ],
      example: [
        "controller shelf = Book sort by publisher, title section by publisher",
        "fetch shelf",
        "show shelf",
      ]),
    HelpTopic(
      "limit", ["offset", "batch"], in: .requests,
      ["limit COUNT ends the results, offset COUNT skips the first, batch COUNT loads in parts."],
      example: ["fetch Book sort by title limit 2 offset 1"]),
    HelpTopic(
      "request", in: .requests,
      ["request NAME = ENTITY [CLAUSES] keeps a request, for fetch, count and controllers."],
      example: [
        "request long = Book where pages > 100 sort by title",
        "count long",
      ]),
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
        "change CONTROLLER CLAUSES gives it another request, as an app may at any time. It counts",
        "from the next fetch on; until then tracking keeps the old one.",
      ],
      example: [
        "change books sort by pages desc",
        "fetch books",
      ]),
    HelpTopic(
      "delegate", ["delegates", "changes", "didchange", "none"], in: .controllers,
      [
        "delegate CONTROLLER changes hears all four callbacks (the default), didChange only the last,",
        "counts one line a batch, snapshot and diff the newer methods; with none nothing is tracked.",
      ],
      example: [
        "delegate books didChange",
        "insert Book(title: \"VALIS\")",
        "delegate books changes",
      ]),
    HelpTopic(
      "own-delegate",
      ["return", "didchangeobject", "didchangesection", "snapshot", "diff", "counts"],
      in: .controllers,
      [
        "delegate CONTROLLER { didChangeObject { … } } writes your own: $type, $object, $indexPath and",
        "$newIndexPath are the callback's. sectionIndexTitle name { return … } gives a title.",
      ],
      example: [
        "delegate books { didChangeObject { print \"\\($type) \\($object)\" } }",
        "insert Book(title: \"Eon\")",
        "delegate books changes",
      ]),
    HelpTopic(
      "cache", ["caches"], in: .controllers,
      [
        "cache \"NAME\" keeps a controller's sections from fetch to fetch, until the store changes.",
        "caches lists them, delete cache \"NAME\" and delete caches forget them.",
      ],
      example: [
        "controller cached = Book sort by publisher section by publisher cache \"Shelves\"",
        "fetch cached",
        "caches",
        "delete cache \"Shelves\"",
      ]),
    HelpTopic(
      "show", ["list"], in: .looking,
      [
        "show CONTROLLER prints its sections and rows with their index paths, show CONTROLLER.request",
        "its request.",
      ],
      example: ["show books", "show books.request"]),
    HelpTopic(
      "objects", ["state"], in: .looking,
      ["objects ENTITY prints every object with its state: inserted, updated, deleted or saved."],
      example: ["objects Book"]),
    HelpTopic(
      "print", ["members", "indexpath"], in: .looking,
      [
        "print VALUE prints a value; of a controller also CONTROLLER[SECTION, ROW], .sections,",
        ".fetchedObjects, .sectionIndexTitles, .indexPath(forObject: …). Tab behind the dot lists them.",
      ],
      example: [
        "print books[0, 0].title",
        "print books.fetchedObjects.count",
        "print books.indexPath(forObject: Book/1)",
      ]),
  ]
}
