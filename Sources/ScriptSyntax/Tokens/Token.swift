import Basics

/// A token: a piece of a script's text.
struct Token: Equatable {
  var kind: Kind
  var range: Range<Int>
  /// Whether nothing but blanks comes before it on its line.
  var startsLine: Bool

  enum Kind: Equatable {
    case word
    /// `$name`; the range includes the dollar.
    case variable
    case number
    /// A number that runs into letters, `12ab`.
    case malformedNumber
    /// `@` and the digits after it, valid or not.
    case date
    /// The opening quote of a string; the parser reads the rest.
    case quote
    case punctuator(Punctuator)
    /// A character that cannot begin a token.
    case unknown
    /// The end of a line that may end a statement. The range extends to the next visible text.
    case lineEnd
    /// The end of the source.
    case end
  }

  /// Whether the token can begin an operand.
  var beginsOperand: Bool {
    switch kind {
    case .word, .variable, .number, .malformedNumber, .date, .quote: true
    case .punctuator(let sign):
      sign == .leftParenthesis || sign == .leftBracket || sign == .minus || sign == .not
    case .unknown, .lineEnd, .end: false
    }
  }

  /// Whether a statement may end before the token.
  var endsStatement: Bool {
    switch kind {
    case .lineEnd, .end, .punctuator(.semicolon): true
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown: false
    }
  }
}

/// The signs of the language; the raw values are their text.
enum Punctuator: String, CaseIterable {
  case leftParenthesis = "("
  case rightParenthesis = ")"
  case leftBracket = "["
  case rightBracket = "]"
  case leftBrace = "{"
  case rightBrace = "}"
  case comma = ","
  case colon = ":"
  case semicolon = ";"
  case dot = "."
  case question = "?"
  case at = "@"
  case closedRange = "..."
  case halfOpenRange = "..<"
  case assign = "="
  case addAssign = "+="
  case subtractAssign = "-="
  case equal = "=="
  case notEqual = "!="
  case lessOrGreater = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case equalOrLess = "=<"
  case greater = ">"
  case greaterOrEqual = ">="
  case equalOrGreater = "=>"
  case plus = "+"
  case minus = "-"
  case star = "*"
  case slash = "/"
  case percent = "%"
  case not = "!"
  case and = "&&"
  case or = "||"

  /// The signs that begin with each byte of ASCII, the longest first.
  ///
  /// All of a draft is read at every key, and to find a case by its text takes ten times as long.
  private static let byFirstByte: [[(bytes: [UInt8], sign: Punctuator)]] = {
    var table = Array(repeating: [(bytes: [UInt8], sign: Punctuator)](), count: 128)
    let signs = allCases.map { (bytes: Array($0.rawValue.utf8), sign: $0) }
      .ordered { $0.bytes.count > $1.bytes.count }
    for sign in signs { table[Int(sign.bytes[0])].append(sign) }
    return table
  }()

  /// Returns the longest sign at a place, and how many bytes it has; nil if there is none.
  static func longest(at start: Int, in bytes: [UInt8]) -> (Punctuator, length: Int)? {
    guard bytes.indices.contains(start), bytes[start] < 128 else { return nil }
    for (sign, punctuator) in byFirstByte[Int(bytes[start])]
    where bytes[start...].starts(with: sign) {
      return (punctuator, sign.count)
    }
    return nil
  }

  /// The sign that closes this bracket.
  var closer: Punctuator? {
    switch self {
    case .leftParenthesis: .rightParenthesis
    case .leftBracket: .rightBracket
    case .leftBrace: .rightBrace
    case .rightParenthesis, .rightBracket, .rightBrace, .comma, .colon, .semicolon, .dot,
      .question, .at, .closedRange, .halfOpenRange, .assign, .addAssign, .subtractAssign, .equal,
      .notEqual, .lessOrGreater, .less, .lessOrEqual, .equalOrLess, .greater, .greaterOrEqual,
      .equalOrGreater, .plus, .minus, .star, .slash, .percent, .not, .and, .or:
      nil
    }
  }

  var isCloser: Bool {
    self == .rightParenthesis || self == .rightBracket || self == .rightBrace
  }
}

extension Punctuator {
  /// Whether the sign is between two operands, or between target and value.
  var isOperator: Bool {
    switch self {
    case .assign, .addAssign, .subtractAssign, .equal, .notEqual, .lessOrGreater, .less,
      .lessOrEqual, .equalOrLess, .greater, .greaterOrEqual, .equalOrGreater, .plus, .minus,
      .star, .slash, .percent, .and, .or, .closedRange, .halfOpenRange:
      true
    case .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .leftBrace,
      .rightBrace, .comma, .colon, .semicolon, .dot, .question, .at, .not:
      false
    }
  }
}

/// The pairs of brackets in a source, found without regard to the text around them.
///
/// After an error, the parser uses these pairs to find the end of the text to skip without a
/// search. A brace also closes the brackets that are open inside it.
struct BracketPairs {
  /// The offset of each closing bracket, by the offset of its opening one.
  private var closers: [Int: Int] = [:]

  init(_ lexer: Lexer) {
    var open: [(sign: Punctuator, offset: Int)] = []
    var offset = 0
    while true {
      let token = lexer.token(after: offset, lineEndsCount: false)
      offset = token.range.upperBound
      switch token.kind {
      case .end: return
      case .quote:
        let quote = lexer.bytes[token.range.lowerBound]
        offset = lexer.endOfString(from: offset, quote: quote).offset
      case .punctuator(let sign) where sign.closer != nil:
        open.append((sign, token.range.lowerBound))
      case .punctuator(let sign) where sign.isCloser:
        close(sign, at: token.range.lowerBound, &open)
      case .word, .variable, .number, .malformedNumber, .date, .punctuator, .unknown, .lineEnd:
        break
      }
    }
  }

  private mutating func close(
    _ sign: Punctuator, at offset: Int, _ open: inout [(sign: Punctuator, offset: Int)]
  ) {
    // A closing brace drops the other brackets that are still open inside it.
    while let last = open.last {
      if last.sign.closer == sign {
        open.removeLast()
        closers[last.offset] = offset
        return
      }
      guard sign == .rightBrace, last.sign != .leftBrace else { return }
      open.removeLast()
    }
  }

  /// Returns the offset where the bracket at `offset` is closed; nil if it is not.
  func closer(of offset: Int) -> Int? { closers[offset] }
}

/// The words of a request's clauses; the raw values are their spelling.
enum ClauseWord: String, CaseIterable {
  case `where`
  case sort = "sort by"
  case section = "section by"
  case limit
  case offset
  case batch
  case cache
  case keep = "keep limit"
  case track = "track related"
  case prefetch
  case includesPendingChanges
  case returnsObjectsAsFaults
  case shouldRefreshRefetchedObjects
  case values
  case group = "group by"
  case having
  case distinct
  case returning
  case updates

  init?(firstWord: String) {
    switch firstWord {
    case "sort": self = .sort
    case "section": self = .section
    case "group": self = .group
    case "keep": self = .keep
    case "track": self = .track
    default: self.init(rawValue: firstWord)
    }
  }

  /// The length of the longest of the words.
  static let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0

  /// The second word; nil for a clause of one word.
  var secondWord: String? {
    rawValue.firstIndex(of: " ").map { String(rawValue[$0...].dropFirst()) }
  }

  /// Whether the clause has an effect only on a controller.
  var isOfControllers: Bool {
    ControllerOption(rawValue: rawValue) != nil || self == .section || self == .cache
  }

  /// Whether the clause has an effect only on an observer.
  var isOfObservers: Bool { self == .updates }

  /// Whether a request with the clause gives dictionaries.
  var givesDictionaries: Bool {
    self == .values || self == .group || self == .having || self == .distinct
  }
}

/// The clauses that a statement may continue with on lines of their own.
enum ClauseWords {
  /// None: the statement is not a request.
  case none
  /// The clauses that apply to a fetch.
  case ofFetches
  /// The same, in a batch request.
  case ofBatches
  /// The clauses of a fetch, and those that only apply to a controller.
  case all
  /// All of these, and those that only apply to an observer.
  case ofObservers

  func contain(_ word: ClauseWord) -> Bool {
    switch self {
    case .none: false
    case .ofFetches, .ofBatches: !word.isOfControllers && !word.isOfObservers
    case .all: !word.isOfObservers
    case .ofObservers: true
    }
  }
}

/// An option that Apple's controllers do not have; the raw value is its spelling.
package enum ControllerOption: String, Hashable, Sendable, CaseIterable {
  case keepLimit = "keep limit"
  case trackRelated = "track related"
}

/// The words after `batch` that begin a batch request, and not a `batch` clause.
enum BatchWord: String, CaseIterable {
  case insert, update, delete
}

/// Words of Swift, Core Data or SQL, and the words that scripts use instead.
///
/// They are used for suggestions only; none of them is valid.
enum ForeignWord {
  /// Returns the statement's word for a word that begins statements elsewhere.
  static func statementWord(for word: String) -> String? { words[word.lowercased()] }

  /// Returns the clause for a word that comes before `by` elsewhere.
  static func clause(for word: String) -> String? {
    word.lowercased() == "order" ? ClauseWord.sort.rawValue : nil
  }

  /// Returns `asc` or `desc` for another spelling.
  static func direction(for word: String) -> String? {
    switch word.lowercased() {
    case "asc", "ascending": "asc"
    case "desc", "descending": "desc"
    default: nil
    }
  }

  private static let words = [
    "add": "insert", "assert": "expect", "class": "entity", "commit": "save", "create": "insert",
    "echo": "print", "new": "insert", "precondition": "expect", "remove": "delete",
    "select": "fetch", "struct": "entity", "var": "let", "while": "repeat",
  ]

  /// Returns the attribute type for a name that is used elsewhere.
  static func attributeType(for word: String) -> String? { types[word.lowercased()] }

  private static let types = [
    "binary": "Data", "blob": "Data", "nsdata": "Data", "transformable": "Data",
    "boolean": "Bool",
    "character": "String", "nsstring": "String", "text": "String", "varchar": "String",
    "datetime": "Date", "nsdate": "Date", "timestamp": "Date",
    "decimalnumber": "Decimal", "nsdecimalnumber": "Decimal", "numeric": "Decimal",
    "cgfloat": "Double", "float64": "Double", "nsnumber": "Double", "number": "Double",
    "real": "Double", "timeinterval": "Double", "float32": "Float",
    "bigint": "Int", "integer": "Int", "integer64": "Int64", "long": "Int", "nsinteger": "Int",
    "nsuinteger": "Int", "uint": "Int", "uint64": "Int64", "integer32": "Int32",
    "uint32": "Int64", "uint16": "Int32", "int8": "Int16", "integer16": "Int16", "short": "Int16",
    "uint8": "Int16",
    "nsurl": "URI", "url": "URI", "guid": "UUID", "nsuuid": "UUID",
  ]
}

/// A feature of Core Data that scripts do not have.
///
/// `Documentation/Rules.md` has the same list.
package enum AbsentFeature: String, Hashable, Sendable, CaseIterable {
  case queryGenerations = "query generations"
  case asynchronousFetches = "asynchronous fetches"
  case compositeAttributes = "composite attributes"
  case fetchedProperties = "fetched properties"
  case configurations
  case partialObjects = "partial objects"

  /// Returns the feature that a word of Core Data names; nil for any other word.
  init?(word: String) {
    guard let feature = Self.words[word.lowercased()] else { return nil }
    self = feature
  }

  private static let words: [String: Self] = [
    "setquerygenerationfrom": .queryGenerations, "nsquerygenerationtoken": .queryGenerations,
    "querygeneration": .queryGenerations, "querygenerationtoken": .queryGenerations,
    "nsasynchronousfetchrequest": .asynchronousFetches,
    "nsasynchronousfetchresult": .asynchronousFetches, "async": .asynchronousFetches,
    "composite": .compositeAttributes, "nscompositeattributedescription": .compositeAttributes,
    "fetched": .fetchedProperties, "fetchedproperty": .fetchedProperties,
    "nsfetchedpropertydescription": .fetchedProperties,
    "configuration": .configurations, "configurations": .configurations,
    "configurationname": .configurations,
    "propertiestofetch": .partialObjects, "includespropertyvalues": .partialObjects,
  ]

  /// Returns the feature that a text of several words mentions; nil if there is none.
  init?(in text: String) {
    let words = text.split { !($0.isLetter || $0.isNumber) }
    guard let feature = words.lazy.compactMap({ AbsentFeature(word: String($0)) }).first else {
      return nil
    }
    self = feature
  }

  /// The nearest feature that scripts have.
  var nearest: String {
    switch self {
    case .queryGenerations: "each fetch reads the newest saved state"
    case .asynchronousFetches: "a fetch ends before the next statement"
    case .compositeAttributes: "write an attribute for each part"
    case .fetchedProperties: "write a 'request' and fetch it"
    case .configurations: "all entities are in one store"
    case .partialObjects: "a fetch reads whole objects; write 'values title' for dictionaries"
    }
  }
}
