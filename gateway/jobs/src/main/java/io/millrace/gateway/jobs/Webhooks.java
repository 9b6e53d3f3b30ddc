package io.millrace.gateway.jobs;

import java.time.InstantSource;
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

    /** The most messages that wait for their receivers, a kilobyte each; further ones are dropped. */
    private static final int MOST_WAITING = 1000;

    private final Map<String, Webhook> receivers = new TreeMap<>();
    private final Disposable.Composite waiting = Disposables.composite();
    private final BiConsumer<String, String> recorder;
    private final InstantSource clock;

    /**
     * Creates the webhooks; opens no connection yet.
     *
     * @param recorder takes the name of a webhook and the outcome of a message: sent, failed, dropped
     */
    public Webhooks(Map<String, WebhookSettings> settings, BiConsumer<String, String> recorder, InstantSource clock) {
        settings.forEach((name, own) -> receivers.put(name, new Webhook(name, own, clock)));
        this.recorder = recorder;
        this.clock = clock;
    }

    /** Sends the message about a job that has ended, in the background. */
    public void ended(JobStatus job) {
        WebhookMessage message = WebhookMessage.of(job, clock.instant());
        receivers.forEach((name, receiver) -> begin(name, receiver, message));
    }

    private void begin(String name, Webhook receiver, WebhookMessage message) {
        Disposable.Swap sending = Disposables.swap();
        if (waiting.size() >= MOST_WAITING || !waiting.add(sending)) {
            lost(name, message, "dropped", MOST_WAITING + " messages wait already");
            return;
        }
        sending.update(receiver.send(message.id(), message.json())
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
        return Mono.fromRunnable(() -> {
                    if (waiting.size() > 0) {
                        log.warn("Messages of webhooks that are lost by the stop: {}", waiting.size());
                    }
                    waiting.dispose();
                })
                .thenMany(Flux.fromIterable(receivers.values()).flatMap(Webhook::close))
                .then();
    }
}
