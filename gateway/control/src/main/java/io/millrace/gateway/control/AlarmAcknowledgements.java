package io.millrace.gateway.control;

import io.millrace.gateway.control.Alarm.Acknowledgement;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers which alarms operators have acknowledged, until the next start. An alarm that ends and comes again, or
 * whose level changes, is a new one. Keeps the last {@link #MOST}. Thread-safe.
 */
final class AlarmAcknowledgements {
    static final int MOST = 1000;

    private final Map<String, Known> known = new LinkedHashMap<>();

    private record Known(Instant since, Acknowledgement word) {}

    synchronized void add(Alarm alarm, Acknowledgement word) {
        known.remove(alarm.id());
        known.put(alarm.id(), new Known(alarm.since(), word));
        if (known.size() > MOST) {
            known.remove(known.keySet().iterator().next());
        }
    }

    /** Returns the alarm, acknowledged if it has been since it began. */
    Alarm marked(Alarm alarm) {
        return alarm.withAcknowledgement(find(alarm));
    }

    synchronized Optional<Acknowledgement> find(Alarm alarm) {
        return Optional.ofNullable(known.get(alarm.id()))
                .filter(one -> one.since().equals(alarm.since()))
                .map(Known::word);
    }
}
