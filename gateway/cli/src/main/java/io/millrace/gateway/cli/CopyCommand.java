package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace copy}: submits a job that copies objects between buckets. */
@Command(name = "copy", description = "Submit a job that copies objects from one bucket to another.")
final class CopyCommand extends SubmitJobCommand {
    @Parameters(
            index = "0",
            paramLabel = "s3://FROM/PREFIX",
            converter = S3Location.Converter.class,
            description = "What to copy.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location from;

    @Parameters(
            index = "1",
            paramLabel = "s3://TO/PREFIX",
            converter = S3Location.Converter.class,
            description = "Target; its prefix replaces the source prefix in each key.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private S3Location to;

    @Mixin
    private final ObjectSelectionOptions selection = new ObjectSelectionOptions();

    @Option(
            names = "--overwrite",
            paramLabel = "MODE",
            description =
                    "What to do with objects that the target has. if-absent: leave them; if-changed: copy those whose"
                            + " size differs or that are newer at the source (default); always: copy all.")
    private @Nullable String overwrite;

    @Option(
            names = "--delete-extra",
            description = "Delete objects at the target that are not at the source. Selects by prefix only.")
    private boolean deleteExtra;

    @Option(
            names = "--max-delete",
            paramLabel = "N",
            description =
                    "The most objects that --delete-extra may delete; the job does nothing if there are more. Default:"
                            + " half of those at the target, or 10.")
    private @Nullable Integer maxDelete;

    CopyCommand(CommandEnvironment around) {
        super("copy", around);
    }

    @Override
    void putInto(Map<String, Object> request) {
        request.put("from", selection.json(from, environment()));
        request.put("to", to.json());
        JobRequestFieldWriter.putIfPresent(request, "overwrite", overwrite);
        JobRequestFieldWriter.putIfPresent(request, "deleteExtra", deleteExtra ? true : null);
        JobRequestFieldWriter.putIfPresent(request, "maxDelete", maxDelete);
    }
}
