package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.GatewayStatus.CacheUsage;
import io.millrace.gateway.control.GatewayStatus.DiskStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/disks}: the state of cache disks, scrubs, and the return of a lost disk.
 *
 * @param cache works on the disks; empty if there is no cache
 */
@RestController
@RequestMapping("/api/v1/disks")
record DisksController(ControlAuthorizer callers, Supplier<GatewayStatus> status, Optional<DiskOperations> cache) {
    /** The response that lists the disks of the cache, in the order of the settings. */
    record DiskList(List<DiskStatus> disks) {
        DiskList {
            disks = List.copyOf(disks);
        }
    }

    @GetMapping
    DiskList disks(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireView(principal, "The list of disks");
        return new DiskList(allDisks());
    }

    @PostMapping("/{number}/scrub")
    @ResponseStatus(HttpStatus.ACCEPTED)
    DiskStatus scrub(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @PathVariable String number) {
        callers.requireOperate(principal, "A scrub");
        int disk = number(number);
        requireReadable(allDisks().get(disk));
        if (!work().scrub(disk)) {
            throw ApiException.of(HttpStatus.CONFLICT, "There is no scrubbing: cache.scrub.rate is 0B.");
        }
        return allDisks().get(disk);
    }

    private static void requireReadable(DiskStatus disk) {
        if (disk.state().equals("lost")) {
            throw ApiException.of(
                    HttpStatus.CONFLICT,
                    ("The cache folder %s is lost, so nothing of it can be compared: mount it, and reattach it with"
                                    + " 'millrace disks reattach %s'.")
                            .formatted(disk.path(), disk.path()));
        }
        if (disk.state().equals("failing")) {
            throw ApiException.of(
                    HttpStatus.CONFLICT,
                    "The cache folder %s cannot be read now, so nothing of it can be compared: ask again when it can."
                            .formatted(disk.path()));
        }
    }

    @PostMapping("/{number}/reattach")
    Mono<DiskStatus> reattach(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @PathVariable String number) {
        callers.requireOperate(principal, "Reattaching a disk");
        int disk = number(number);
        return work().reattach(disk)
                .onErrorMap(IOException.class, e -> ApiException.of(HttpStatus.CONFLICT, sentence(e)))
                .then(Mono.fromSupplier(() -> allDisks().get(disk)));
    }

    private static String sentence(IOException failure) {
        String text = String.valueOf(failure.getMessage());
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }

    private DiskOperations work() {
        return cache.orElseThrow(
                () -> ApiException.of(HttpStatus.NOT_FOUND, "There is no cache: add a disk below cache.disks."));
    }

    private List<DiskStatus> allDisks() {
        return status.get().cache().map(CacheUsage::disks).orElse(List.of());
    }

    private int number(String text) {
        int disks = allDisks().size();
        for (int number = 0; number < disks; number++) {
            if (text.equals(Integer.toString(number))) {
                return number;
            }
        }
        throw ApiException.of(HttpStatus.NOT_FOUND, "There is no disk %s: millrace disks lists them.".formatted(text));
    }
}
