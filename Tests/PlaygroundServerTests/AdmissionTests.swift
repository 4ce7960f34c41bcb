import Testing

@testable import PlaygroundServer

@Suite("Who may use the server")
struct AdmissionTests {
  private static let token = "k3kk9mnopqrstuvwxyz2345678"
  private static let hosts = ["127.0.0.1:8765", "localhost:8765"]
  private let admission = Admission(owner: token, hosts: hosts)
  private let classroom = Admission(owner: token, student: "abc234", hosts: hosts)

  private func answer(
    _ path: String, host: String? = "127.0.0.1:8765", origin: String? = nil,
    method: String = "GET", webSocket: Bool = false, of admission: Admission? = nil
  ) -> Admission.Answer {
    var fields: [String: String] = [:]
    fields["host"] = host
    fields["origin"] = origin
    if webSocket { fields["upgrade"] = "websocket" }
    return (admission ?? self.admission).answer(
      to: Request(method: method, path: path, fields: fields))
  }

  private func status(_ answer: Admission.Answer) -> Response.Status? {
    if case .refused(let status, _) = answer { status } else { nil }
  }

  @Test("the token opens the page and its files")
  func opens() {
    #expect(answer("/\(Self.token)/") == .file("", .owner))
    #expect(answer("/\(Self.token)/editor.js") == .file("editor.js", .owner))
    #expect(answer("/\(Self.token)/", host: "LOCALHOST:8765") == .file("", .owner))
  }

  @Test(
    "without the token, nothing is found",
    arguments: [
      "/", "/editor.js", "/session", "/k3kk9mnopqrstuvwxyz234567/", "/k3kk9mnopqrstuvwxyz2345679/",
      "//\(AdmissionTests.token)/", "/../\(AdmissionTests.token)/", "/\(AdmissionTests.token)",
      "/%6b3kk9mnopqrstuvwxyz2345678/", "/abc234/",
    ])
  func withoutToken(path: String) {
    #expect(status(answer(path)) == .notFound)
  }

  @Test(
    "another host's name is refused, also with the right token",
    arguments: [
      "evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80",
      "127.0.0.1.evil.example:8765",
      "192.168.1.5:8765", "", nil,
    ])
  func host(host: String?) {
    #expect(status(answer("/\(Self.token)/", host: host)) == .misdirected)
  }

  @Test(
    "a page of another origin is refused, also with the right token",
    arguments: [
      "http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1:80", "null", "",
      "http://127.0.0.1:8765.evil.example", "file://", "http://localhost:8765",
    ])
  func origin(origin: String) {
    let path = "/\(Self.token)/session"
    #expect(status(answer(path, origin: origin, webSocket: true)) == .forbidden)
    #expect(status(answer("/\(Self.token)/", origin: origin)) == .forbidden)
  }

  @Test("a session needs an origin and a WebSocket")
  func session() {
    let path = "/\(Self.token)/session"
    let own = "http://127.0.0.1:8765"
    #expect(answer(path, origin: own, webSocket: true) == .session(.owner))
    #expect(status(answer(path, webSocket: true)) == .forbidden)
    #expect(status(answer(path, origin: own)) == .forbidden)
  }

  @Test("only GET is allowed", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "get", ""])
  func method(method: String) {
    #expect(status(answer("/\(Self.token)/", method: method)) == .wrongMethod)
  }

  @Test("in a class, the page without a token asks for the code, and shows nothing else")
  func join() {
    #expect(answer("/", of: classroom) == .file("join/", .student))
    #expect(answer("/join.js", of: classroom) == .file("join/join.js", .student))
    #expect(status(answer("/list.json", of: classroom)) == .notFound)
    #expect(answer("/abc234/", of: classroom) == .file("", .student))
    #expect(
      answer(
        "/abc234/session", origin: "http://127.0.0.1:8765", webSocket: true, of: classroom)
        == .session(.student))
  }

  @Test("a public server may be reached by its numeric addresses, and not by strange names")
  func addresses() {
    let open = Admission(owner: Self.token, hosts: Self.hosts, addressPort: 8765)
    #expect(answer("/\(Self.token)/", host: "192.168.1.5:8765", of: open) == .file("", .owner))
    #expect(answer("/\(Self.token)/", host: "[fe80::1]:8765", of: open) == .file("", .owner))
    for host in ["evil.example:8765", "192.168.1.5:80", "192.168.1.5", ":8765", "a.b:8765"] {
      #expect(status(answer("/\(Self.token)/", host: host, of: open)) == .misdirected)
    }
  }

  @Test("at port 80, a host without a port is the server's own, as browsers write it")
  func defaultPort() {
    let path = "/\(Self.token)/session"
    let local = Admission(owner: Self.token, hosts: ["127.0.0.1:80", "[::1]:80"])
    let open = Admission(owner: Self.token, hosts: ["localhost:80"], addressPort: 80)
    for host in ["127.0.0.1", "[::1]", "127.0.0.1:80", "[::1]:80"] {
      for admission in [local, open] {
        let answer = answer(
          path, host: host, origin: "http://\(host)", webSocket: true, of: admission)
        #expect(answer == .session(.owner), "\(host)")
      }
    }
    let strangers = ["evil.example", "127.0.0.1:8765", "[::1]:8765", ":80", "", "a.b", "a.b:80"]
    for host in strangers {
      for admission in [local, open] {
        let status = status(answer("/\(Self.token)/", host: host, of: admission))
        #expect(status == .misdirected, "\(host)")
      }
    }
    let elsewhere = answer(
      path, host: "127.0.0.1", origin: "http://127.0.0.1:8765", webSocket: true, of: local)
    #expect(status(elsewhere) == .forbidden)
  }

  @Test("a proxy's own origin is allowed if it was named")
  func proxy() {
    let proxied = Admission(
      owner: Self.token, hosts: ["class.example.org"], origins: ["https://class.example.org"])
    let path = "/\(Self.token)/session"
    let origins = ["https://class.example.org": true, "https://other.example.org": false]
    for (origin, isAllowed) in origins {
      let answer = answer(
        path, host: "class.example.org", origin: origin, webSocket: true, of: proxied)
      #expect((answer == .session(.owner)) == isAllowed)
    }
  }

  @Test("tokens are long, and none is like another one")
  func newTokens() {
    let tokens = Set((0..<1000).map { _ in Admission.newToken() })
    #expect(tokens.count == 1000)
    #expect(tokens.allSatisfy { $0.utf8.count == 26 })
  }
}

@Suite("The files that pages get")
struct PlaygroundFilesTests {
  private let files = PlaygroundFiles(
    folder: .init(
      paths: { ["a.frc", "b/ü &.frc"] }, text: { "text of \($0)" }), isClass: false)

  private func body(_ path: String, _ role: Admission.Role = .owner) -> String? {
    let response = files.response(to: path, role)
    return response.status == .ok ? String(decoding: response.body, as: UTF8.self) : nil
  }

  @Test("a script of the folder has a path of the list")
  func folder() {
    #expect(body("folder/a.frc") == "text of a.frc")
    #expect(body("folder/b/%C3%BC%20%26.frc") == "text of b/ü &.frc")
  }

  @Test(
    "no other path is read",
    arguments: [
      "folder/../a.frc", "folder/%2e%2e/secret", "folder//etc/passwd", "folder/./a.frc",
      "folder/b/../a.frc", "folder/a.frc%00", "folder/a.frc/", "folder/", "folder/%zz",
      "example/../books", "example/..%2f..%2fetc%2fpasswd", "../../etc/passwd", "etc/passwd",
      "serve.html", "Request.swift", "class/", "class/class.js",
    ])
  func outside(path: String) {
    #expect(body(path) == nil)
  }

  @Test("a student cannot open the teacher's page")
  func teacher() {
    let files = PlaygroundFiles(folder: nil, isClass: true)
    #expect(files.response(to: "class/", .owner).status == .ok)
    #expect(files.response(to: "class/", .student).status == .notFound)
    #expect(files.response(to: "class/class.js", .student).status == .notFound)
  }

  @Test("a student opens examples, and no file of the teacher's folder")
  func student() {
    #expect(body("example/books", .student) != nil)
    #expect(body("folder/a.frc", .student) == nil)
    #expect(body("list.json", .student)?.contains("a.frc") == false)
    #expect(body("list.json", .owner)?.contains("a.frc") == true)
    // Its script asks for a name.
    #expect(body("", .student)?.contains("<body class=\"live student\">") == true)
    #expect(body("", .owner)?.contains("<body class=\"live\">") == true)
  }

  @Test("the code of all pages is smaller than 120 kB")
  func size() {
    #expect(PlaygroundFiles.pages.count > 10)
    let all = PlaygroundFiles.pages.filter { !$0.key.hasPrefix("class/shared") }
      .filter { !$0.key.hasPrefix("join/page") && !$0.key.hasPrefix("class/page") }
    let size = all.values.reduce(0) { $0 + $1.text.utf8.count }
    #expect(size < 120_000, "the pages have \(size) bytes")
  }

  @Test("pages have no script or style of their own, and name no other server")
  func policy() {
    for (path, page) in PlaygroundFiles.pages where page.type.hasPrefix("text/html") {
      #expect(!page.text.contains("<style"), "\(path)")
      #expect(!page.text.contains(" style="), "\(path)")
      #expect(!page.text.contains("<script>"), "\(path)")
      #expect(page.text.firstMatch(of: /\son[a-z]+=/) == nil, "\(path)")
      #expect(!page.text.contains("http:") && !page.text.contains("https:"), "\(path)")
    }
    let head = String(decoding: Response(.ok).bytes(closes: false), as: UTF8.self)
    #expect(head.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
    #expect(!head.contains("unsafe"))
  }

  @Test("each example is there")
  func examples() {
    #expect(PlaygroundFiles.examples.count == 20)
    #expect(body("example/books")?.contains("entity Book") == true)
    let part = body("example/migration/first.part")
    #expect(part?.contains("entity Book") == true)
    #expect(part == PlaygroundFiles.included["migration/first.part"])
  }
}
