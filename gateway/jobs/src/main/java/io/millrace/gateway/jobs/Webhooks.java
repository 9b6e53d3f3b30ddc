package io.millrace.gateway.jobs;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The webhooks of the settings: sends each a message when a job has ended. Messages are in memory only, so a stop loses
 * those that their receiver has not accepted yet. Thread-safe.
 */
public final class Webhooks {
    private static final Logger log = LoggerFactory.getLogger(Webhooks.class);

    /** What may become of a message. */
    public static final List<String> OUTCOMES = List.of("sent", "failed", "dropped");

    /** The most messages that wait for a receiver, a kilobyte or two each; further ones are dropped. */
    private static final int MOST_WAITING = 1000;

    private final Map<String, Receiver> receivers = new TreeMap<>();
    private final BiConsumer<String, String> recorder;
    private final InstantSource clock;

    /** A receiver, and what is being sent to it, so that one that is away takes no room from others. */
    private record Receiver(Webhook client, Disposable.Composite waiting) {}

    /**
     * Creates the webhooks; opens no connection yet.
     *
     * @param recorder takes the name of a webhook and the outcome of a message, one of {@link #OUTCOMES}
     */
    public Webhooks(Map<String, WebhookSettings> settings, BiConsumer<String, String> recorder, InstantSource clock) {
        settings.forEach((name, own) ->
                receivers.put(name, new Receiver(new Webhook(name, own, clock), Disposables.composite())));
        this.recorder = recorder;
        this.clock = clock;
    }

    /** Sends the message about a job that has ended, in the background. */
    public void ended(JobStatus job) {
        if (receivers.isEmpty()) {
            return;
        }
        WebhookMessage message = WebhookMessage.of(job, clock.instant());
        byte[] json = message.json();
        receivers.forEach((name, receiver) -> begin(name, receiver, message, json));
    }

    private void begin(String name, Receiver receiver, WebhookMessage message, byte[] json) {
        Disposable.Composite waiting = receiver.waiting();
        Disposable.Swap sending = Disposables.swap();
        if (waiting.size() >= MOST_WAITING || !waiting.add(sending)) {
            lost(name, message, "dropped", MOST_WAITING + " messages wait already");
            return;
        }
        sending.update(receiver.client()
                .send(message.id(), json)
                .doFinally(end -> waiting.remove(sending))
                .subscribe(
                        unused -> {},
                        failure -> lost(name, message, "failed", String.valueOf(failure.getMessage())),
                        () -> recorder.accept(name, "sent")));
    }

    private void lost(String name, WebhookMessage message, String outcome, String why) {
        recorder.accept(name, outcome);
        log.warn(
                "Webhook {}: the message that job {} has ended is lost: {}",
                name,
                message.data().id(),
                why);
    }

    /** Gives up what waits, and closes the connections. */
    public Mono<Void> close() {
        return Mono.fromRunnable(this::giveUp)
                .thenMany(Flux.fromIterable(receivers.values())
                        .flatMap(receiver -> receiver.client().close()))
                .then();
    }

    private void giveUp() {
        int lost = receivers.values().stream()
                .mapToInt(receiver -> receiver.waiting().size())
                .sum();
        if (lost > 0) {
            log.warn("Messages of webhooks that are lost by the stop: {}", lost);
        }
        receivers.values().forEach(receiver -> receiver.waiting().dispose());
    }
}
