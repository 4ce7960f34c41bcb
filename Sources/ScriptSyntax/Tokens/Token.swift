/// A token: a piece of a script's text.
struct Token: Hashable {
  var kind: Kind
  var range: Range<Int>
  /// Whether nothing but blanks comes before it on its line.
  var startsLine: Bool

  enum Kind: Hashable {
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
      .sorted { $0.bytes.count > $1.bytes.count }
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
