import FetchedResults

/// The words of lines in which apps print their callbacks.
enum CallbackVocabulary {
  /// What a word says of the value after it.
  enum Label: Hashable {
    case type
    case old
    case new
    /// `indexPath`, which is the old one unless a word before it says otherwise.
    case path
    case object
    case index
  }

  /// A callback, by its method.
  enum Callback: Hashable {
    case willChangeContent
    case didChangeContent
    case object
    case section
    /// `didChange`, whose arguments say what changed.
    case either
  }

  /// Returns the callback that a word names.
  ///
  /// - Parameter word: A word in lower case.
  static func callback(_ word: String) -> Callback? {
    if word.hasSuffix("willchangecontent") { return .willChangeContent }
    if word.hasSuffix("didchangecontent") { return .didChangeContent }
    if word.hasSuffix("didchangeobject") { return .object }
    if word.hasSuffix("didchangesection") { return .section }
    return word == "didchange" ? .either : nil
  }

  /// Returns the type of change that a word in lower case names.
  static func type(_ word: String) -> FetchedResultsChangeType? {
    if let type = types[word] { return type }
    guard let stem = word.firstRange(of: "resultschange") else { return nil }
    return types[String(word[stem.upperBound...])]
  }

  /// Whether a word is a name of the enumeration, such as `NSFetchedResultsChangeInsert`.
  static func isEnumeration(_ word: String) -> Bool { word.contains("resultschange") }

  private static let types: [String: FetchedResultsChangeType] = {
    var types: [String: FetchedResultsChangeType] = [:]
    for (words, type) in [
      ("insert inserts inserted inserting insertion add added adding", .insert),
      ("delete deletes deleted deleting deletion remove removed removing removal", .delete),
      ("move moves moved moving", .move), ("update updates updated updating", .update),
    ] as [(String, FetchedResultsChangeType)] {
      for word in words.split(separator: " ") { types[String(word)] = type }
    }
    return types
  }()

  /// Returns the type with a raw value of NSFetchedResultsChangeType.
  static func type(number: Int) -> FetchedResultsChangeType? {
    switch number {
    case 1: .insert
    case 2: .delete
    case 3: .move
    case 4: .update
    case _: nil
    }
  }

  static func label(_ word: String) -> Label? { labels[word] }

  private static let labels: [String: Label] = {
    var labels: [String: Label] = [:]
    for (words, label) in [
      ("type changetype forchangetype oftype kind change action rawvalue for", .type),
      ("at atindexpath old oldindexpath oldpath from fromindexpath was before previous", .old),
      ("new newindexpath newpath to toindexpath now after", .new), ("indexpath path", .path),
      ("object anobject obj item model name title id objectid with", .object),
      ("index atindex sectionindex atsectionindex section", .index),
    ] as [(String, Label)] {
      for word in words.split(separator: " ") { labels[String(word)] = label }
    }
    return labels
  }()

  /// Words that may stand between a type, its labels and its values.
  static let connectives: Set<String> = [
    "row", "rows", "cell", "section", "sections", "object", "objects", "item", "items", "index",
    "indexes", "indexpath", "path", "the", "a", "an", "of", "in", "into", "its", "is", "was",
    "and", "optional", "nil", "null", "did", "will", "called", "controller", "fetched", "results",
    "came", "row(s)", "nsfetchedresultschangetype", "fetchedresultschangetype", "changetype",
  ]

  /// Words before a callback that say that its method is entered.
  static let entering: Set<String> = [
    "enter", "entering", "entered", "call", "calling", "called", "begin", "began", "start", "in",
    "delegate", "controller", "got", "received", "frc", "nsfetchedresultscontroller", "did",
    "will", "func", "method", "self",
  ]

  /// Words that say that a method returns.
  static let leaving: Set<String> = [
    "leave", "leaving", "left", "exit", "exiting", "exited", "return", "returning", "returned",
    "done", "finished", "finish", "end", "ended", "ending",
  ]

  /// Words for no value.
  static let absent: Set<String> = ["nil", "null", "none"]

  /// Whether a text names a callback anywhere.
  static func namesCallback(_ text: String) -> Bool {
    let small = text.lowercased()
    return ["willchangecontent", "didchange"].contains(where: small.contains)
  }

  /// Whether a word belongs to the grammar, so that it is no label that an app made up.
  static func isKnown(_ text: String) -> Bool {
    let word = text.lowercased()
    return callback(word) != nil || type(word) != nil || label(word) != nil
      || connectives.contains(word) || entering.contains(word) || leaving.contains(word)
      || namesCallback(word) || word.hasSuffix("exception") || word.hasPrefix("exc_")
      || ["reason", "fatal", "counts", "exception", "updates", "crashed"].contains(word)
  }
}
