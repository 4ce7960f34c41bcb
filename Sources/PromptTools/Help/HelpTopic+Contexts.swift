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
