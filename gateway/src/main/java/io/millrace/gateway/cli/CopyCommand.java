package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Carries objects from one bucket to another. */
@Command(name = "copy", description = "Carry objects from one bucket to another, as a job.")
final class CopyCommand extends SubmitCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://FROM/PREFIX",
            converter = Location.Converter.class,
            description = "What to copy.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location from;

    @Parameters(
            index = "1",
            paramLabel = "s3://TO/PREFIX",
            converter = Location.Converter.class,
            description = "Where to: what a key begins with there, in place of the first prefix.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Location to;

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Option(
            names = "--which",
            paramLabel = "WHICH",
            description = "new: names that are not there; changed: also those of another size or a later date (without"
                    + " this option); all.")
    private @Nullable String which;

    @Option(
            names = "--delete-extra",
            description = "Delete at the target what is not in the selection, which is a prefix then.")
    private boolean deleteExtra;

    CopyCommand(Surroundings around) {
        super(around);
    }

    @Override
    String kind() {
        return "copy";
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, around()));
        request.put("to", to.json());
        Fields.put(request, "which", which);
        Fields.put(request, "deleteExtra", deleteExtra ? true : null);
    }
}
