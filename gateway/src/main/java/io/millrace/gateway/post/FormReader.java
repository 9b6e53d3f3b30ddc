package io.millrace.gateway.post;

import io.millrace.gateway.http.RequestBody;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;

/**
 * Reads a form up to its file, and lets the file's bytes through. The length of a file stands nowhere in a form; it follows from
 * that of the request if the file is the last part and nothing follows the closing boundary, which is how every client writes it.
 * So that is assumed, and looked at in the end: the last bytes of the file come only when what follows them is right.
 */
final class FormReader implements CoreSubscriber<ByteBuf> {
    private final MonoSink<Form> form;
    private final byte[] closing;
    private final long announced;
    private final FormHeadReader head;
    private @Nullable Subscription upstream;
    private @Nullable FileBytes file;

    private FormReader(MonoSink<Form> form, String boundary, long announced) {
        this.form = form;
        this.head = new FormHeadReader(boundary);
        this.closing = ("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.ISO_8859_1);
        this.announced = announced;
    }

    /** The form of a request. */
    static Mono<Form> read(RequestBody body, String boundary) {
        return Mono.create(sink -> {
            FormReader reader = new FormReader(sink, boundary, body.announced());
            sink.onCancel(reader::cancel);
            body.pieces().subscribe(reader);
        });
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(ByteBuf piece) {
        FileBytes bytes = file;
        if (bytes != null) {
            bytes.onNext(piece);
            return;
        }
        try {
            Optional<FormHead> read = head.read(piece);
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
        FileBytes bytes = file;
        if (bytes != null) {
            bytes.onError(failure);
        } else {
            form.error(failure);
        }
    }

    @Override
    public void onComplete() {
        FileBytes bytes = file;
        if (bytes != null) {
            bytes.onComplete();
        } else {
            form.error(FormHead.malformed("it has no file, or ends before it"));
        }
    }

    private void begin(FormHead read, ByteBuf firstBytes) {
        long length = announced - read.bytes() - closing.length;
        if (length < 0) {
            throw FormHead.malformed("the file must be its last part, and nothing may follow its closing boundary");
        }
        FileBytes bytes = new FileBytes(upstream(), length, closing);
        bytes.onNext(firstBytes.retain());
        file = bytes;
        form.success(new Form(read.fields(), read.fileName(), length, new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
                if (!bytes.take(actual)) {
                    Operators.error(actual, new IllegalStateException("a file can be read once"));
                }
            }
        }));
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
