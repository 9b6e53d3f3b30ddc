package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.kit.async.BufferStage;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * Reactive stage that decodes a request body: subscribes to the raw buffers and emits the decoded ones to its
 * subscriber. At most one raw buffer is requested at a time, when the downstream has demand and no decoded one is
 * ready.
 */
final class DecodingSubscriber extends BufferStage {
    private final VerifyingBodyDecoder decoder;
    private final Runnable whenVerified;
    private boolean verified;

    DecodingSubscriber(
            CoreSubscriber<? super ByteBuf> downstream, VerifyingBodyDecoder decoder, Runnable whenVerified) {
        super(downstream);
        this.decoder = decoder;
        this.whenVerified = whenVerified;
    }

    @Override
    protected void step(@Nullable ByteBuf in, boolean sawEnd) {
        try {
            decode(in, sawEnd);
        } catch (RequestVerificationException | RuntimeException | OutOfMemoryError e) {
            // OutOfMemoryError comes from the limit on direct buffers; it fails only this body.
            stop(e);
            return;
        }
        for (ByteBuf piece = next(); piece != null; piece = next()) {
            emit(piece);
        }
        if (!isCancelled() && decoder.isEmpty()) {
            requestOrComplete();
        }
    }

    private void decode(@Nullable ByteBuf in, boolean sawEnd) throws RequestVerificationException {
        if (in != null) {
            decoder.read(in);
        }
        if (sawEnd && !verified) {
            decoder.end();
            verified = true;
            whenVerified.run();
        }
    }

    private @Nullable ByteBuf next() {
        return isWanted() ? decoder.poll() : null;
    }

    private void requestOrComplete() {
        if (verified) {
            complete();
        } else {
            requestNext();
        }
    }

    @Override
    protected void release() {
        decoder.release();
    }
}
