package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.ReloadableSettings;
import io.millrace.config.binding.SettingChange;
import io.millrace.config.binding.SettingsComparison;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import io.millrace.gateway.control.SettingsRefusedException;
import io.millrace.gateway.control.SettingsReload;
import io.millrace.gateway.control.SettingsReloadResult;
import io.millrace.kit.async.DaemonThreads;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Reloads the settings file while the gateway serves: reads and checks it, makes a snapshot, and puts that in force.
 */
final class SettingsReloader implements SettingsReload, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SettingsReloader.class);

    /** Limit of keys and problems in one log line. */
    private static final int SHOWN = 20;

    private final Optional<SettingsSource> source;
    private final CurrentSettings current;
    private final SettingsSnapshot.Factory factory;
    private final List<SettingsFollower> followers;
    private final Runnable onChange;
    private final ReloadMeters meters;
    private final ExecutorService thread = DaemonThreads.single("settings-reload");

    /**
     * @param source the settings file; empty if the gateway was started without one
     * @param followers what takes over the settings with a new snapshot
     * @param onChange called after another snapshot has been put in force
     */
    SettingsReloader(
            Optional<SettingsSource> source,
            CurrentSettings current,
            SettingsSnapshot.Factory factory,
            List<SettingsFollower> followers,
            Runnable onChange,
            MeterRegistry registry) {
        this.source = source;
        this.current = current;
        this.factory = factory;
        this.followers = List.copyOf(followers);
        this.onChange = onChange;
        this.meters = new ReloadMeters(registry, InstantSource.system());
    }

    @Override
    public Mono<SettingsReloadResult> preview() {
        return onThread(() -> {
            SettingsSource file = requiredSource();
            try {
                LoadedSettings<MillraceSettings> loaded = file.load();
                return result(changes(loaded), List.of(), loaded.warnings());
            } catch (SettingsException e) {
                return result(List.of(), e.problems(), List.of());
            }
        });
    }

    @Override
    public Mono<SettingsReloadResult> apply() {
        return onThread(() -> {
            try {
                return reload(requiredSource().load());
            } catch (SettingsException e) {
                throw refused(problems(e.problems()), e);
            } catch (RuntimeException e) {
                log.debug("The settings file could not be applied", e);
                throw refused(String.valueOf(e.getMessage()), e);
            }
        });
    }

    private SettingsReloadResult reload(LoadedSettings<MillraceSettings> loaded) {
        List<SettingChange> changes = changes(loaded);
        List<SettingChange> pending =
                changes.stream().filter(SettingChange::needsRestart).toList();
        boolean isChanged = pending.size() < changes.size();
        if (isChanged) {
            apply(loaded.settings());
        }
        meters.succeeded(isChanged ? ReloadMeters.Outcome.APPLIED : ReloadMeters.Outcome.UNCHANGED, pending.size());
        log(changes, pending, loaded.warnings());
        return result(changes, List.of(), loaded.warnings());
    }

    /** Applies settings: first the steps that may fail, so that a failure leaves all as it was, then the others. */
    private void apply(MillraceSettings loaded) {
        SettingsSnapshot before = current.get();
        MillraceSettings next = ReloadableSettings.combine(before.settings(), loaded);
        List<Runnable> steps =
                followers.stream().map(follower -> follower.prepare(next)).toList();
        current.replace(factory.create(next, before.backends()));
        steps.forEach(Runnable::run);
        onChange.run();
    }

    private List<SettingChange> changes(LoadedSettings<MillraceSettings> loaded) {
        return SettingsComparison.between(current.get().settings(), loaded.settings());
    }

    private SettingsSource requiredSource() throws SettingsRefusedException {
        return source.orElseThrow(() -> new SettingsRefusedException(
                "The gateway was started without a settings file: start it with --config FILE."));
    }

    private SettingsRefusedException refused(String reason, Exception cause) {
        meters.refused();
        log.error("The settings file was not applied, and the settings in force stay: {}", reason);
        return new SettingsRefusedException(
                "The settings file was not applied, and the settings in force stay: " + reason, cause);
    }

    private static void log(List<SettingChange> changes, List<SettingChange> pending, List<SettingsProblem> warnings) {
        List<SettingChange> applied =
                changes.stream().filter(change -> !change.needsRestart()).toList();
        log.info("The settings file was read again; changes in force: {}", keys(applied));
        if (!pending.isEmpty()) {
            log.warn("Changed settings that need a restart: {}", keys(pending));
        }
        warnings.forEach(warning -> log.warn("Settings: {}", warning.oneLine()));
    }

    private static String keys(List<SettingChange> changes) {
        return changes.isEmpty()
                ? "none"
                : shortened(changes.stream().map(SettingChange::path).toList(), ", ");
    }

    private static String problems(List<SettingsProblem> problems) {
        return shortened(problems.stream().map(SettingsReloader::oneLine).toList(), "; ");
    }

    private static String shortened(List<String> texts, String separator) {
        String first = texts.stream().limit(SHOWN).collect(Collectors.joining(separator));
        return texts.size() > SHOWN ? first + separator + "and " + (texts.size() - SHOWN) + " more" : first;
    }

    private static String oneLine(SettingsProblem problem) {
        return problem.toString().lines().map(String::strip).collect(Collectors.joining(" "));
    }

    private static SettingsReloadResult result(
            List<SettingChange> changes, List<SettingsProblem> problems, List<SettingsProblem> warnings) {
        return new SettingsReloadResult(
                changes.stream().map(SettingsReloadResult.Change::of).toList(),
                problems.stream().map(SettingsProblem::toString).toList(),
                warnings.stream().map(SettingsProblem::toString).toList());
    }

    private <T> Mono<T> onThread(Callable<T> work) {
        return Mono.fromFuture(() -> {
            CompletableFuture<T> done = new CompletableFuture<>();
            try {
                thread.execute(() -> complete(done, work));
            } catch (RejectedExecutionException stopping) {
                done.completeExceptionally(new SettingsRefusedException("The gateway is stopping.", stopping));
            }
            return done;
        });
    }

    private static <T> void complete(CompletableFuture<T> done, Callable<T> work) {
        try {
            done.complete(work.call());
        } catch (Exception | OutOfMemoryError e) {
            done.completeExceptionally(e);
        }
    }

    /** Lets a reload that is under way end, and starts none. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
