import Foundation
import FoundationXML

/// Reads the XML of a model into elements, as Foundation's parser meets them.
///
/// A class, since the parser tells a delegate; it lives for one reading.
final class ModelFileReader: NSObject, XMLParserDelegate {
  private var open: [ModelElement] = []
  private var root: ModelElement?
  private var text = ""
  /// Keys and strings of a property list, in order.
  private var words: [(element: String, text: String)] = []

  /// Reads a model's entities and requests.
  static func read(
    _ contents: [UInt8]
  ) throws(ModelFileError) -> (
    entities: [ModelElement], requests: [ModelElement], notes: ModelNotes
  ) {
    let root = try parse(contents).root
    guard let root, root.name == "model" else { throw ModelFileError.notAModel(root: root?.name) }
    var notes = ModelNotes()
    for child in root.children {
      switch child.name {
      // The last is the layout of the model in Xcode.
      case "entity", "fetchRequest", "elements", "userInfo": break
      case "configuration": notes.add("configurations are not used", child["name"] ?? "")
      case "composite": notes.add("composites are left out", child["name"] ?? "")
      default: notes.add("elements that are not known are passed over", child.name)
      }
    }
    return (root.children(named: "entity"), root.children(named: "fetchRequest"), notes)
  }

  /// Reads the strings of a property list's outermost dictionary.
  static func propertyList(_ contents: [UInt8]) throws(ModelFileError) -> [String: String] {
    let words = try parse(contents).words
    var result: [String: String] = [:]
    for (key, value) in zip(words, words.dropFirst())
    where key.element == "key" && value.element == "string" {
      result[key.text] = value.text
    }
    return result
  }

  private static func parse(_ contents: [UInt8]) throws(ModelFileError) -> ModelFileReader {
    let reader = ModelFileReader()
    let parser = XMLParser(data: Data(contents))
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    // The parser of this platform says of some broken texts that all is well.
    guard !contents.isEmpty, parser.parse(), parser.parserError == nil, reader.open.isEmpty,
      reader.root != nil
    else {
      throw ModelFileError.malformed(line: max(reader.open.last?.line ?? 1, parser.lineNumber))
    }
    return reader
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?, attributes attributeDict: [String: String]
  ) {
    text = ""
    // Deeper than any model; what nests on is not read.
    guard open.count < 64 else { return parser.abortParsing() }
    open.append(
      ModelElement(name: elementName, attributes: attributeDict, line: parser.lineNumber))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?
  ) {
    words.append((elementName, text))
    text = ""
    guard let element = open.popLast() else { return }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }
}
