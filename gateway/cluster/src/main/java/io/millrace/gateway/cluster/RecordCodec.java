package io.millrace.gateway.cluster;

import io.millrace.gateway.cluster.JsonForms.Numbered;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes and reads the records that outlast a member's process, as JSON. */
final class RecordCodec {
    private static final Duration LONGEST_LEASE = Duration.ofMinutes(1);

    private RecordCodec() {}

    static byte[] encode(MissedRecords records) {
        Map<String, List<Numbered>> missed = new HashMap<>();
        records.missed().forEach((member, buckets) -> missed.put(member, PeerCodec.numbered(buckets)));
        return JsonForms.write(new JsonForms.Missed(
                JsonForms.VERSION,
                missed,
                records.begun().stream()
                        .map(bucket -> new JsonForms.Bucket(bucket.backend(), bucket.name()))
                        .toList()));
    }

    static MissedRecords missedRecords(byte[] bytes) throws RefusedMessageException {
        JsonForms.Missed form = PeerCodec.read(bytes, JsonForms.Missed.class);
        PeerCodec.requireVersion(form.version());
        Map<String, Map<BackendBucket, Long>> missed = new HashMap<>();
        for (Map.Entry<String, List<Numbered>> member : orEmpty(form.missed()).entrySet()) {
            missed.put(member.getKey(), PeerCodec.buckets("missed", member.getValue()));
        }
        Set<BackendBucket> begun = new HashSet<>();
        for (JsonForms.Bucket bucket : form.begun() == null ? List.<JsonForms.Bucket>of() : form.begun()) {
            begun.add(PeerCodec.bucket(bucket.backend(), bucket.bucket()));
        }
        return new MissedRecords(missed, begun);
    }

    static byte[] encode(KnownMembers members) {
        return JsonForms.write(
                new JsonForms.Known(JsonForms.VERSION, members.members(), members.confirmed(), members.goodbyes()));
    }

    static KnownMembers knownMembers(byte[] bytes) throws RefusedMessageException {
        JsonForms.Known form = PeerCodec.read(bytes, JsonForms.Known.class);
        PeerCodec.requireVersion(form.version());
        return new KnownMembers(orEmpty(form.members()), orEmpty(form.confirmed()), orEmpty(form.goodbyes()));
    }

    static byte[] encodeLease(Duration lease) {
        return JsonForms.write(new JsonForms.Lease(JsonForms.VERSION, lease.toMillis()));
    }

    static Duration lease(byte[] bytes) throws RefusedMessageException {
        JsonForms.Lease form = PeerCodec.read(bytes, JsonForms.Lease.class);
        PeerCodec.requireVersion(form.version());
        if (form.millis() < 1 || form.millis() > LONGEST_LEASE.toMillis()) {
            throw RefusedMessageException.malformed("millis is none of a lease");
        }
        return Duration.ofMillis(form.millis());
    }

    private static Set<String> orEmpty(@Nullable Set<String> names) {
        return names == null ? Set.of() : names;
    }

    private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> byName) {
        return byName == null ? Map.of() : byName;
    }
}
