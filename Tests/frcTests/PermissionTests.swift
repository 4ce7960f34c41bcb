import Testing

@testable import frc

/// The rules for which files may be used, tested without files.
@Suite("Permissions")
struct PermissionTests {
  private let suite = Permissions(
    roots: ["/home/me/suite"], reads: ["/models", "/data/a.csv"], writes: ["/out"])

  @Test(
    "what is below a root or was allowed may be read",
    arguments: [
      "/home/me/suite", "/home/me/suite/a.frc", "/home/me/suite/.github/a.frc",
      "/models/m/contents",
      "/data/a.csv",
    ])
  func allowed(path: String) { #expect(suite.refusal(.reading, of: path) == nil) }

  @Test(
    "everything else may not",
    arguments: [
      "/home/me", "/home/me/suite2/a.frc", "/home/me/suit", "/", "/proc/self/environ",
      "/data/b.csv",
      "/data/a.csv2", "/out/x",
    ])
  func refused(path: String) {
    #expect(
      suite.refusal(.reading, of: path)
        == .init(access: .reading, path: path, rule: .outside(roots: ["/home/me/suite"])))
  }

  @Test("what may be read may not be written for that, nor the other way round")
  func writing() {
    #expect(suite.refusal(.writing, of: "/models/m") != nil)
    #expect(suite.refusal(.writing, of: "/out/x") == nil)
    #expect(suite.refusal(.writing, of: "/home/me/suite/a.sqlite") == nil)
  }

  @Test(
    "a repository's own folder is refused below a root",
    arguments: ["/home/me/suite/.git", "/home/me/suite/.git/config", "/home/me/suite/in/.GIT/x"])
  func repository(path: String) {
    #expect(suite.refusal(.reading, of: path)?.rule == .repository)
    var allowing = suite
    allowing.reads.append("/home/me/suite")
    #expect(allowing.refusal(.reading, of: path) == nil)
  }

  @Test("the folders of the system are below no root but their own")
  func system() {
    let all = Permissions(roots: ["/"])
    #expect(all.refusal(.reading, of: "/etc/hosts") == nil)
    for path in ["/proc/self/environ", "/dev/stdin", "/sys/x"] {
      #expect(all.refusal(.reading, of: path) != nil)
    }
    let shared = Permissions(roots: ["/dev/shm/suite"])
    #expect(shared.refusal(.reading, of: "/dev/shm/suite/a.frc") == nil)
    #expect(shared.refusal(.reading, of: "/dev/shm/other") != nil)
  }

  @Test("a refusal names the path, the rule and the option")
  func words() {
    #expect(
      suite.refusal(.reading, of: "/etc/passwd")?.words
        == "'/etc/passwd' is outside of '/home/me/suite', below which scripts may read; "
        + "--allow-read '/etc/passwd' allows it")
    #expect(
      suite.refusal(.writing, of: "/etc/passwd")?.words
        == "'/etc/passwd' is outside of '/home/me/suite', below which files may be written; "
        + "--allow-write '/etc/passwd' allows it")
    #expect(
      suite.refusal(.reading, of: "/home/me/suite/.git/config")?.words
        == "'/home/me/suite/.git/config' is in the folder '.git' of a repository; "
        + "--allow-read '/home/me/suite/.git/config' allows it")
  }

  @Test("what was allowed outside is not quoted")
  func quoting() {
    #expect(suite.allowsQuoting("/home/me/suite/a.frc"))
    #expect(!suite.allowsQuoting("/models/m/contents"))
  }
}
