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
