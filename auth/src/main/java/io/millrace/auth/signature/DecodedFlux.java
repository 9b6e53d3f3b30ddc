package io.millrace.auth.signature;

import io.netty.buffer.ByteBuf;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** Stream of the decoded and verified buffers of one request body, for a single subscriber. */
final class DecodedFlux extends Flux<ByteBuf> {
    private final Flux<ByteBuf> raw;
    private final VerifyingBodyDecoder decoder;
    private final Runnable whenVerified;

    DecodedFlux(Flux<ByteBuf> raw, VerifyingBodyDecoder decoder, Runnable whenVerified) {
        this.raw = raw;
        this.decoder = decoder;
        this.whenVerified = whenVerified;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> downstream) {
        raw.subscribe(new DecodingSubscriber(downstream, decoder, whenVerified));
    }
}
