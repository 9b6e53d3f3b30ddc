package io.millrace.gateway.app;

import io.millrace.gateway.bucket.FreshnessSettings.Mode;
import java.util.ArrayList;
import java.util.List;

/** What the operator's file may say already and this version does not do. */
final class NotYet {
    private NotYet() {}

    /** A line for each thing that the file asks for in vain. */
    static List<String> notices(MillraceSettings settings) {
        List<String> notices = new ArrayList<>();
        if (!settings.cache().disks().isEmpty()) {
            notices.add("cache.disks is not used yet: this version streams every read through from its backend");
        }
        if (settings.buckets().stream().anyMatch(bucket -> bucket.freshness().mode() != Mode.TTL)) {
            notices.add("freshness is not used yet: without a cache every read is fresh");
        }
        return notices;
    }
}
