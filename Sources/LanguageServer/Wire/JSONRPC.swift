/// The name of a request, which its answer has too.
package enum RequestID: Hashable, Sendable, Codable {
  case number(Int)
  case text(String)

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    }
  }
}

/// What every message says first: whether it is a request, a notification or an answer.
struct MessageHead: Decodable {
  let id: RequestID?
  let method: String?
}

/// The parameters of a message.
struct MessageParams<Params: Decodable>: Decodable {
  let params: Params
}

/// The result in an answer.
struct MessageResult<Value: Decodable>: Decodable {
  let result: Value
}

/// An error that answers a request.
package struct ResponseError: Error, Codable, Hashable {
  package enum Code: Int, Codable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    case serverNotInitialized = -32002
    case requestFailed = -32803
    case requestCancelled = -32800
  }

  package let code: Code
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// The answer to a request.
///
/// A result of nil is sent as `null`, as the protocol demands.
struct ResponseMessage<Value: Encodable>: Encodable {
  let id: RequestID?
  let result: Result<Value?, ResponseError>

  private enum Key: CodingKey { case jsonrpc, id, result, error }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode("2.0", forKey: .jsonrpc)
    try fields.encode(id, forKey: .id)
    switch result {
    case .success(let value): try fields.encode(value, forKey: .result)
    case .failure(let error): try fields.encode(error, forKey: .error)
    }
  }
}

/// A notification, or a request of the server.
struct SentMessage<Params: Encodable>: Encodable {
  let jsonrpc = "2.0"
  var id: RequestID?
  let method: String
  let params: Params?
}

/// A message without parameters or without a result.
struct Nothing: Codable {}
