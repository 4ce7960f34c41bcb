import Foundation
import FoundationXML

/// Two schemas of JUnit's XML, limited to their elements and attributes: junit-10, which the xUnit
/// plugin of Jenkins checks, and windyroad's schema of Ant reports.
final class JUnitSchema: NSObject, XMLParserDelegate {
  enum Schema: CaseIterable {
    case jenkins
    case windyroad
  }

  private static var surefireTime: some RegexComponent {
    /(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?/
  }
  private static var decimal: some RegexComponent { /[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)/ }
  private static var timestamp: some RegexComponent {
    /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}/
  }

  private struct Element {
    var children: Set<String> = []
    var required: Set<String> = []
    var optional: Set<String> = []
    var hasText = false
    /// The order and number of children in a sequence, as a regular expression over their names
    /// with a blank after each.
    var sequence: String?
  }

  private static let jenkins: [String: Element] = {
    let message = Element(optional: ["type", "message"], hasText: true)
    return [
      "": Element(children: ["testsuites", "testsuite"]),
      "testsuites": Element(
        children: ["testsuite"], optional: ["name", "time", "tests", "failures", "errors"]),
      "testsuite": Element(
        children: ["testsuite", "properties", "testcase", "system-out", "system-err"],
        required: ["name", "tests", "failures", "errors"],
        optional: [
          "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log",
          "url",
        ]),
      "testcase": Element(
        children: [
          "skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
          "system-out", "system-err",
        ], required: ["name"], optional: ["time", "classname", "group"]),
      "properties": Element(children: ["property"]),
      "property": Element(required: ["name", "value"]),
      "failure": message, "error": message, "skipped": message,
      "system-out": Element(hasText: true), "system-err": Element(hasText: true),
    ]
  }()

  private static let windyroad: [String: Element] = {
    let message = Element(required: ["type"], optional: ["message"], hasText: true)
    return [
      "": Element(children: ["testsuites", "testsuite"]),
      "testsuites": Element(children: ["testsuite"]),
      "testsuite": Element(
        children: ["properties", "testcase", "system-out", "system-err"],
        required: [
          "name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "time",
        ], optional: ["skipped"],
        sequence: "properties (testcase )*system-out system-err "),
      "testcase": Element(
        children: ["skipped", "error", "failure"], required: ["name", "classname", "time"],
        sequence: "(skipped |error |failure )?"),
      "properties": Element(children: ["property"]),
      "property": Element(required: ["name", "value"]),
      "failure": message, "error": message,
      // Of any type.
      "skipped": Element(optional: ["type", "message"], hasText: true),
      "system-out": Element(hasText: true), "system-err": Element(hasText: true),
    ]
  }()

  private let schema: Schema
  private let elements: [String: Element]
  private var faults: [String] = []
  private var path: [(name: String, children: String)] = [("", "")]

  private init(_ schema: Schema) {
    self.schema = schema
    elements =
      switch schema {
      case .jenkins: Self.jenkins
      case .windyroad: Self.windyroad
      }
  }

  /// Returns the violations of a schema in a text.
  static func faults(of text: String, by schema: Schema) throws -> [String] {
    let schema = JUnitSchema(schema)
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = schema
    if !parser.parse() { schema.faults.append("it is no XML") }
    return schema.faults
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    let parent = path.last?.name ?? ""
    path[path.count - 1].children += name + " "
    path.append((name, ""))
    guard elements[parent]?.children.contains(name) == true else {
      return faults.append("\(name) in \(parent)")
    }
    guard let element = elements[name] else { return faults.append(name) }
    for key in element.required where attributes[key] == nil {
      faults.append("\(name) without \(key)")
    }
    for key in attributes.keys where !element.required.union(element.optional).contains(key) {
      faults.append("\(name) with \(key)")
    }
    check(attributes, of: name)
  }

  private func check(_ attributes: [String: String], of name: String) {
    if let time = attributes["time"] {
      let isRight =
        switch schema {
        case .jenkins: name == "testcase" || time.wholeMatch(of: Self.surefireTime) != nil
        case .windyroad: time.wholeMatch(of: Self.decimal) != nil
        }
      if !isRight { faults.append("time \(time)") }
    }
    guard schema == .windyroad else { return }
    for key in ["id", "tests", "failures", "errors", "skipped"] {
      if let number = attributes[key], Int32(number) == nil { faults.append("\(key) \(number)") }
    }
    for key in ["name", "hostname"] where name == "testsuite" && attributes[key] == "" {
      faults.append("empty \(key)")
    }
    if let time = attributes["timestamp"], time.wholeMatch(of: Self.timestamp) == nil {
      faults.append("timestamp \(time)")
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard let ended = path.popLast(), let sequence = elements[name]?.sequence else { return }
    let isRight = (try? Regex(sequence).wholeMatch(in: ended.children)) != nil
    if !isRight { faults.append("children of \(name): \(ended.children)") }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    let isBlank = text.allSatisfy(\.isWhitespace)
    if !isBlank, elements[path.last?.name ?? ""]?.hasText != true {
      faults.append("text in \(path.last?.name ?? "")")
    }
  }
}
