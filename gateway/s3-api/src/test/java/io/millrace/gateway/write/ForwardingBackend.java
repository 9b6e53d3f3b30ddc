package io.millrace.gateway.write;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Objects in memory, and a memory of what was passed on; the answers to that are the test's. */
final class ForwardingBackend extends PassingBackend {
    private final InMemoryBackend objects;
    private final List<ForwardRequest> asked = new CopyOnWriteArrayList<>();
    private final Function<ForwardRequest, Mono<String>> answers;

    /**
     * @param answers the document that each answer is
     */
    ForwardingBackend(Function<ForwardRequest, Mono<String>> answers) {
        this(new InMemoryBackend(), answers);
    }

    private ForwardingBackend(InMemoryBackend objects, Function<ForwardRequest, Mono<String>> answers) {
        super(objects);
        this.objects = objects;
        this.answers = answers;
    }

    /** What was passed on, as a request line each. */
    List<String> asked() {
        return asked.stream()
                .map(request -> request.method() + " " + request.bucket()
                        + request.key().map(key -> "/" + key.value()).orElse("")
                        + "?" + request.query().get(0).name())
                .toList();
    }

    /** The parameters of what was passed on last. */
    List<QueryParameter> parameters() {
        return asked.get(asked.size() - 1).query();
    }

    void forget() {
        asked.clear();
    }

    InMemoryBackend objects() {
        return objects;
    }

    @Override
    public Set<Capability> capabilities() {
        return forwardingCapabilities();
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return Mono.defer(() -> {
            asked.add(request);
            return answers.apply(request)
                    .map(text -> new ForwardResponse(
                            200, HeaderList.EMPTY, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
        });
    }
}
