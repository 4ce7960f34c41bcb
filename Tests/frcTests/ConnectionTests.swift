import Glibc
import Platform
import Testing

@Suite struct ConnectionTests {
  @Test("the system ends a connection within a minute after the network of the other end is lost")
  func loss() throws {
    let listener = try ListeningSocket(host: "127.0.0.1", port: 0)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(client) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(listener.port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let status = withUnsafeBytes(of: &address) { bytes in
      connect(
        client, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    try #require(status == 0)
    let connection = try #require(try listener.nextConnection())
    func value(of option: Int32, _ level: Int32 = Int32(IPPROTO_TCP)) -> Int32 {
      var value: Int32 = -1
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(connection.descriptor.number, level, option, &value, &length)
      return value
    }

    #expect(value(of: SO_KEEPALIVE, SOL_SOCKET) == 1)
    let questions = value(of: TCP_KEEPINTVL) * value(of: TCP_KEEPCNT)
    #expect((1...60).contains(value(of: TCP_KEEPIDLE) + questions))
    #expect((1...60_000).contains(value(of: TCP_USER_TIMEOUT)))
  }
}
