package io.millrace.gateway.fuzz;

import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.Optional;

/**
 * Browsers' forms. One is stored only if its policy is signed and a slow reading of both allows it; what is stored is
 * the file, and under the key, that this reading finds; and where a form is cut into pieces changes nothing.
 */
final class FormTarget extends FuzzTarget {
    @Override
    void judge(Input input) {
        Input sent = SlowForm.signed(input.withMethod("POST"));
        Served whole = counted(gateway.serve(sent));
        if (whole.operation().filter(S3Operation.POST_OBJECT::equals).isEmpty()) {
            return;
        }
        if (whole.uploading()) {
            judge(sent, whole);
        }
        Served cut = gateway.serve(sent, Cuts.of(sent.body()));
        boolean same = cut.status() == whole.status()
                && cut.code().equals(whole.code())
                && cut.stored().equals(whole.stored());
        require(same, "cut another way", cut, whole, sent);
    }

    private static void judge(Input sent, Served served) {
        Optional<SlowForm> form = SlowForm.of(sent);
        require(form.isPresent(), "no form", sent);
        require(form.get().isProved(), "nobody signed it", sent);
        FuzzRequest asked = served.requested().get(0);
        require(asked.key().equals(form.get().key()), "another key", asked, sent);
        SlowPolicy.require(form.get(), asked.bucket());
        require(form.get().file().startsWith(served.sent()), "what is not the file came out", sent);
        if (served.stored().isPresent()) {
            require(served.status() < 400, "stored and refused", served);
            require(served.stored().get().equals(form.get().file()), "another file", sent);
            require(form.get().isWhole(), "no end", sent);
            SlowPolicy.requireLength(form.get());
        } else {
            boolean notAll = served.sent().isEmpty()
                    || served.sent().length() < form.get().file().length();
            require(served.status() >= 400 && notAll, "all of it came out", sent);
        }
    }
}
