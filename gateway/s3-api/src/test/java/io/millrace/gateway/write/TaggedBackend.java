package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.PassingBackend;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A backend that keeps tags beside the objects of another one, and tells of them as S3 does. */
final class TaggedBackend extends PassingBackend {
    private static final String TAGGING = "x-amz-tagging";

    private final Map<ObjectRef, String> tags = new ConcurrentHashMap<>();
    private final List<ForwardRequest> asked = new CopyOnWriteArrayList<>();
    private volatile @Nullable String mistake;
    private volatile boolean quiet;

    TaggedBackend(Backend inner) {
        super(inner);
    }

    /** As the field of a write says them; empty if there are none. */
    Optional<String> tags(ObjectRef object) {
        return Optional.ofNullable(tags.get(object));
    }

    /** What was asked for about tags. */
    List<ForwardRequest> asked() {
        return asked;
    }

    /** From now on this document is told for that of the tags. */
    void mistake(String document) {
        mistake = document;
    }

    /** From now on nothing is passed on: there are tags, and nobody can ask for them. */
    void tellNothing() {
        quiet = true;
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        HeaderList others = new HeaderList(object.headers().fields().stream()
                .filter(field -> !field.name().equals(TAGGING))
                .toList());
        return inner.put(new NewObject(object.object(), others, object.condition()), body)
                .doOnNext(written -> object.headers()
                        .first(TAGGING)
                        .ifPresentOrElse(said -> tags.put(object.object(), said), () -> tags.remove(object.object())));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return inner.open(request).map(content -> {
            String said = tags.get(request.object());
            return said == null ? content : counted(content, said.split("&", -1).length);
        });
    }

    @Override
    public Mono<ForwardResponse> forward(ForwardRequest request) {
        return Mono.fromSupplier(() -> {
            asked.add(request);
            String wrong = mistake;
            String reported = wrong == null
                    ? document(
                            tags(new ObjectRef(request.bucket(), request.key().orElseThrow()))
                                    .orElseThrow())
                    : wrong;
            return new ForwardResponse(
                    200, HeaderList.EMPTY, ByteBuffer.wrap(reported.getBytes(StandardCharsets.UTF_8)));
        });
    }

    @Override
    public Set<Capability> capabilities() {
        EnumSet<Capability> all = quiet ? EnumSet.noneOf(Capability.class) : EnumSet.of(Capability.TAGS);
        all.addAll(inner.capabilities());
        return all;
    }

    private static ObjectContent counted(ObjectContent content, int count) {
        ObjectHead head = content.head();
        HeaderList headers = head.headers().with("x-amz-tagging-count", Integer.toString(count));
        return new ObjectContent(
                new ObjectHead(head.version(), head.eTag(), head.lastModified(), headers),
                content.range(),
                content.body());
    }

    private static String document(String said) {
        return "<?xml version=\"1.0\"?><Tagging xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><TagSet>"
                + Arrays.stream(said.split("&", -1))
                        .map(tag -> "<Tag><Key>%s</Key><Value>%s</Value></Tag>".formatted(text(tag, 0), text(tag, 1)))
                        .collect(Collectors.joining())
                + "</TagSet></Tagging>";
    }

    private static String text(String tag, int half) {
        return URLDecoder.decode(tag.split("=", 2)[half], StandardCharsets.UTF_8)
                .replace("&", "&amp;")
                .replace("<", "&lt;");
    }
}
