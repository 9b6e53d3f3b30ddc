package io.millrace.gateway.s3.object;

import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * An entry that a batch's tar is to have: its item, or a member of the sample that is its item.
 *
 * @param item the number of its item
 * @param name in the tar
 * @param members how many entries its sample has, if it is the first of them; 0 for any other entry
 * @param response the response to the GET or HEAD for it, which is subscribed to once
 */
record BatchEntry(int item, String name, int members, Mono<S3Response> response) {}
