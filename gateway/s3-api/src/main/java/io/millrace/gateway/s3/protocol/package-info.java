/** A request and an answer of S3 as values: target, query, routing table, XML. No sockets here. */
@NullMarked
package io.millrace.gateway.s3.protocol;

import org.jspecify.annotations.NullMarked;
