package io.millrace.gateway.s3.object;

import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Reads a browser upload form (multipart/form-data): its fields into memory, its file as a stream. A form does not
 * state the length of its file. The reader computes it from the length of the request, on the assumption that the file
 * is the last part and nothing follows the closing boundary, as every client sends it. It verifies that at the end: the
 * last bytes of the file are held back until the rest is correct.
 */
final class MultipartFormReader implements CoreSubscriber<ByteBuf> {
    private final MonoSink<UploadForm> form;
    private final byte[] closing;
    private final long announced;
    private final UploadFormParser head;
    private @Nullable Subscription upstream;
    private @Nullable FormFileBody file;

    private MultipartFormReader(MonoSink<UploadForm> form, String boundary, long announced) {
        this.form = form;
        this.head = new UploadFormParser(boundary);
        this.closing = ("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.ISO_8859_1);
        this.announced = announced;
    }

    /** Reads the form of a request. */
    static Mono<UploadForm> read(UnverifiedRequestBody body, String boundary) {
        return Mono.create(sink -> {
            MultipartFormReader reader = new MultipartFormReader(sink, boundary, body.announcedLength());
            sink.onCancel(reader::cancel);
            body.content().subscribe(reader);
        });
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(ByteBuf piece) {
        FormFileBody bytes = file;
        if (bytes != null) {
            bytes.onNext(piece);
            return;
        }
        try {
            Optional<UploadFormFields> read = head.read(piece);
            if (read.isEmpty()) {
                upstream().request(1);
                return;
            }
            begin(read.get(), piece);
        } catch (RuntimeException refused) {
            cancel();
            form.error(refused);
        } finally {
            piece.release();
        }
    }

    @Override
    public void onError(Throwable failure) {
        FormFileBody bytes = file;
        if (bytes != null) {
            bytes.onError(failure);
        } else {
            form.error(failure);
        }
    }

    @Override
    public void onComplete() {
        FormFileBody bytes = file;
        if (bytes != null) {
            bytes.onComplete();
        } else {
            form.error(UploadFormFields.malformed("it has no file, or ends before it"));
        }
    }

    private void begin(UploadFormFields read, ByteBuf firstBytes) {
        long length = announced - read.bytes() - closing.length;
        if (length < 0) {
            throw UploadFormFields.malformed(
                    "the file must be its last part, and nothing may follow its closing boundary");
        }
        FormFileBody bytes = new FormFileBody(upstream(), length, closing);
        bytes.onNext(firstBytes.retain());
        file = bytes;
        form.success(new UploadForm(read.fields(), read.fileName(), length, bytes.pieces()));
    }

    private Subscription upstream() {
        Subscription subscription = upstream;
        if (subscription == null) {
            throw new IllegalStateException("a signal before the subscription");
        }
        return subscription;
    }

    private void cancel() {
        Subscription subscription = upstream;
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
