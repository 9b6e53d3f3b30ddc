package io.millrace.backend.gcs;

import io.millrace.backend.gcs.StorageJsonApi.ComposeSource;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Composes any number of parts to an object, in a tree of up to 32 objects a request. Only the last request is
 * conditional.
 */
record PartComposer(StorageJsonApi api, CompositeUploadStore uploads) {
    /** The limit of the server. */
    static final int SOURCES = 32;

    private static final int AT_ONCE = 8;

    /**
     * Composes an object.
     *
     * @param fields the metadata of the object
     */
    Mono<ObjectDescription> compose(
            UploadRecord upload, List<ComposeSource> sources, NewObjectMetadata fields, GenerationCondition condition) {
        if (sources.size() <= SOURCES) {
            return api.compose(upload.object(), sources, fields, condition);
        }
        return Flux.fromIterable(groups(sources))
                .flatMapSequential(group -> composeGroup(upload, group), AT_ONCE)
                .collectList()
                .flatMap(composed -> compose(upload, composed, fields, condition));
    }

    private Mono<ComposeSource> composeGroup(UploadRecord upload, List<ComposeSource> group) {
        if (group.size() == 1) {
            return Mono.just(group.get(0));
        }
        ObjectRef target = uploads.ref(upload, uploads.newName());
        return api.compose(target, group, new NewObjectMetadata(Map.of(), Map.of()), GenerationCondition.ABSENT)
                .map(composed -> new ComposeSource(target.key().value(), composed.generation()));
    }

    private static List<List<ComposeSource>> groups(List<ComposeSource> sources) {
        List<List<ComposeSource>> groups = new ArrayList<>();
        for (int i = 0; i < sources.size(); i += SOURCES) {
            groups.add(sources.subList(i, Math.min(sources.size(), i + SOURCES)));
        }
        return groups;
    }
}
