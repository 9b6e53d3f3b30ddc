/** A request and an answer of S3 as values: target, query, routing table, XML. No sockets here. */
@NullMarked
package io.millrace.gateway.http;

import org.jspecify.annotations.NullMarked;
