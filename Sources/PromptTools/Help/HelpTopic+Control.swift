extension HelpTopic {
  /// The topics about checks, loops, and the prompt itself.
  static let onControl: [HelpTopic] = [
    HelpTopic(
      "expect", ["assert", "check"], in: .looking,
      ["expect CONDITION does nothing where it holds, else it fails with both sides' values."],
      example: ["expect count(Book) > 0"]),
    HelpTopic(
      "try", ["error", "errors", "catch"], in: .looking,
      ["try STATEMENT prints the error, if there is one, and a script goes on."],
      example: ["try fetch Book where author == \"Frank\""]),
    HelpTopic(
      "if", ["else", "conditions"], in: .control,
      ["if CONDITION { … } else { … } runs the one or the other."],
      example: ["if count(Book) > 3 { print \"many\" } else { print \"few\" }"]),
    HelpTopic(
      "loops", ["loop", "for", "repeat", "while", "each"], in: .control,
      [
        "for NAME in VALUES { … } runs for each of a range, a list or a controller's objects;",
        "repeat COUNT { … } runs COUNT times. Each statement in either block is a turn of its own.",
      ],
      example: [
        "for i in 1...2 { insert Book(title: \"Part \\(i)\") }",
        "for b in books.fetchedObjects { print b.title }",
        "repeat 2 { Book/1.pages += 1 }",
      ]),
    HelpTopic(
      "include", ["alone", "file", "run", "script"], in: .control,
      [
        "include \"FILE\" runs the statements of a file, here, in this session.",
        "include \"FILE\" alone runs them in a session of their own.",
      ],
      example: ["try include \"setup.frc\"", "count Book"],
      files: ["setup.frc": "insert Book(title: \"Emma\")\ninsert Book(title: \"Kim\")\n"]),
    HelpTopic(
      "set", ["clock", "locale", "now"], in: .control,
      [
        "set clock DATE fixes what now() says, set locale NAME the order of localized sorts;",
        "set nil apple compares nil as SQL does, in a store in a file; set nil memory ends that.",
      ],
      example: [
        "set clock @2026-11-21T09:00:00Z",
        "set locale ja",
        "print now()",
      ]),
    HelpTopic(
      "test", ["tests", "golden", "goldens", "#>"], in: .around,
      [
        "A script is a test if lines that begin with #> hold a statement's expected output.",
        "frc test FILE compares it, frc test --update FILE writes it. The prompt ignores it.",
      ],
      example: [
        "print 1 + 1",
        "#> 2",
      ]),
    HelpTopic(
      "learn", ["lesson", "lessons", "course", "prediction", "#?"], in: .around,
      [
        "frc learn is a course about change tracking. :predict on asks before each turn what it will send;",
        "in a script, lines that begin with #? predict callbacks, and frc test explains each miss.",
      ],
      example: [
        "print 1 + 1",
        "#? 2",
      ]),
    HelpTopic(
      "directives", ["directive", "#@", "patterns"], in: .around,
      [
        "A line #@ sets an option of a test: skip, xfail, tag, requires, matrix, timeout, unordered.",
        "In an expected line [..] matches any text, and a line … matches any lines.",
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
      ["A line that begins with # is a comment; after a statement a comment begins with ' # '."],
      example: ["count Book   # how many there are"]),
    HelpTopic(
      "results", ["result", "_"], in: .around,
      [
        "At the prompt, a value alone is a statement: it is printed. _ is the last value, and _1, _2",
        "and so on are all of them. A fetch keeps its objects, too. NAME? tells what a name is.",
      ],
      example: ["print books.fetchedObjects.count"]),
    HelpTopic(
      "output", ["more", "page", "markdown", "format"], in: .around,
      [
        "Output longer than the window shows its first and last rows; :more, :page or :all shows the",
        "others. :mode table, csv, markdown or json changes how rows are printed; so does --format.",
      ],
      example: ["fetch Book"]),
    HelpTopic(
      "config", ["configuration", "theme", "colors", "plain"], in: .around,
      [
        "~/.config/frc/config.frc has statements and commands that every prompt starts with.",
        ":theme colorblind tells changes apart without red and green. frc --plain is for screen readers.",
      ],
      example: ["show model"]),
    HelpTopic(
      "keys", ["key", "keyboard", "history", "tab", "editing", "search"], in: .around,
      [
        "Keys do what they do in shells and Emacs; :keys lists these.",
        "Tab completes names, key paths, the values of your data, and objects by title;",
        "on an empty line it offers what makes sense next.",
        "Ctrl-_ takes a change back, and Ctrl-X Ctrl-E opens the entry in your editor.",
        "~/.editrc is read: bind -v there gives vi's keys; [N] marks its commands.",
      ]),
    HelpTopic(
      "panes", ["pane", "strip"], in: .around,
      [
        ":pane books shows a controller's sections beside the line; + - > * ! mark the last turn.",
        "Ctrl-O opens the timeline, Alt-E explains the turn, and :would says what a statement sends.",
      ],
      example: ["controller shelf = Book sort by title", "fetch shelf", "show shelf"]),
  ]
}
