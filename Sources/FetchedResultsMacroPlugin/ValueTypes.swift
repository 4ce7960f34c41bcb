import SwiftSyntax

/// The types that a macro knows by name.
enum ValueTypes {
  /// The types of attributes that the runtime can read without an initial value.
  static let known: Set<String> = [
    "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "Double",
    "Float", "Bool", "Date", "Decimal", "UUID", "URL", "Data",
  ]

  /// Types that no attribute can have, each with the type to use instead.
  static let unsupported: [String: String] = [
    "UInt": "Int64", "UInt64": "Int64", "Int128": "Decimal", "UInt128": "Decimal",
    "Float16": "Float", "CGFloat": "Double", "Character": "String", "Substring": "String",
    "NSString": "String", "NSNumber": "Double", "NSDate": "Date", "NSData": "Data",
  ]

  /// Returns the name without the prefix of a known module.
  static func bare(_ name: String) -> String {
    for module in ["Swift.", "Foundation."] where name.hasPrefix(module) {
      return String(name.dropFirst(module.count))
    }
    return name
  }

  /// Returns the type of a literal; nil if the expression is not a literal.
  static func literalType(_ expression: ExprSyntax) -> String? {
    if expression.is(StringLiteralExprSyntax.self) { return "String" }
    if expression.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if expression.is(FloatLiteralExprSyntax.self) { return "Double" }
    if expression.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if let prefixed = expression.as(PrefixOperatorExprSyntax.self),
      prefixed.operator.text == "-"
    {
      return literalType(prefixed.expression)
    }
    return nil
  }

  /// Whether an expression has the same value for all objects: a literal, or a static member such
  /// as an enumeration's case.
  static func isConstant(_ expression: ExprSyntax) -> Bool {
    if literalType(expression) != nil { return true }
    guard let member = expression.as(MemberAccessExprSyntax.self) else { return false }
    return member.declName.baseName.text != "now"
  }
}
