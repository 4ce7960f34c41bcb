import ScriptRuntime

/// A self-contained page that plays a script.
package struct PlayPage {
  private let recording: PlayRecording
  private let indexPath: String?

  /// - Parameter indexPath: The address of the list of pages, relative to this page; nil if there
  ///   is none.
  package init(_ recording: PlayRecording, indexPath: String? = nil) {
    self.recording = recording
    self.indexPath = indexPath
  }

  /// The page's text; incomplete if the work was stopped and is dropped.
  package var html: String {
    let scripts = [
      PackageResources.recording_js, PackageResources.lists_js, PackageResources.quiz_js,
      PackageResources.page_js,
    ]
    let index = indexPath.map { "<nav><a href=\"\($0.asMarkup)\">All scripts</a></nav>" } ?? ""
    return PageTemplate(PackageResources.page_html).filled([
      "title": recording.title.asMarkup, "index": index,
      "style": PackageResources.page_css,
      "script": scripts.joined(separator: "\n"),
      "recording": recording.json.textInMarkup,
    ])
  }
}

/// The code of the page that other pages use too.
package enum PageCode {
  /// Positions in a recording, and what is shown at each.
  package static var recording: String { PackageResources.recording_js }
  /// A list of rows that move.
  package static var lists: String { PackageResources.lists_js }
  package static var style: String { PackageResources.page_css }
}

/// The list of a site's pages.
package struct PlayIndex {
  /// A page of the site.
  package struct Entry {
    package let title: String
    /// The script's own description.
    package let summary: String
    /// The page's address, from the index.
    package let address: String
    /// The title of the group that the page is listed in.
    package let group: String

    package init(title: String, summary: String, address: String, group: String) {
      self.title = title
      self.summary = summary
      self.address = address
      self.group = group
    }
  }

  private let title: String
  private let entries: [Entry]

  package init(title: String, entries: [Entry]) {
    self.title = title
    self.entries = entries
  }

  /// The page's text.
  package var html: String {
    var pages = ""
    var group: String?
    for entry in entries {
      if entry.group != group {
        if group != nil { pages += "</ul>\n" }
        pages += entry.group.isEmpty ? "<ul>\n" : "<h2>\(entry.group.asMarkup)</h2>\n<ul>\n"
        group = entry.group
      }
      pages += "<li><a href=\"\(entry.address.asMarkup)\"><bdi>\(entry.title.asMarkup)</bdi></a>"
      if !entry.summary.isEmpty { pages += "<p>\(entry.summary.asMarkup)</p>" }
      pages += "</li>\n"
    }
    if group != nil { pages += "</ul>" }
    return PageTemplate(PackageResources.site_html).filled([
      "title": title.asMarkup, "pages": pages,
      "style": PackageResources.page_css,
    ])
  }
}

extension PlayRecording {
  /// The script's own description: its first comment, up to an empty line.
  package var summary: String {
    let comment = lines.drop { $0.isEmpty || $0.hasPrefix("#@") || $0.hasPrefix("#!") }
      .prefix { $0.hasPrefix("#") && !$0.hasPrefix("#>") && !$0.hasPrefix("#?") }
    return comment.map { $0.drop { $0 == "#" || $0 == " " } }.joined(separator: " ")
  }
}

/// A file of the page with places for text, such as `{{title}}`.
struct PageTemplate {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Returns the text with each place filled.
  ///
  /// Places in the inserted values are not filled.
  func filled(_ values: [String: String]) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{{"),
      let end = rest[start.upperBound...].firstRange(of: "}}")
    {
      result += rest[..<start.lowerBound]
      result += values[String(rest[start.upperBound..<end.lowerBound])] ?? ""
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}

extension String {
  /// The text escaped for HTML and XML: it contains no tag, no end of an attribute, and no
  /// character that changes how others are shown.
  var asMarkup: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default:
        if scalar.isHidden {
          result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether the character is invisible or reorders other characters.
  ///
  /// Documents may not contain some of these.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: value == 0xFFFE || value == 0xFFFF
    }
  }
}
