package io.millrace.backend.http;

import io.millrace.backend.spi.object.HeaderList;
import java.net.InetSocketAddress;

/**
 * The method, target and headers of an outgoing HTTP request, and the address that it is sent to.
 *
 * @param address unresolved
 * @param target path and query as they are sent
 * @param headers with {@code Host}; a character is the byte with that number
 */
public record HttpRequestHead(String method, InetSocketAddress address, String target, HeaderList headers) {}
