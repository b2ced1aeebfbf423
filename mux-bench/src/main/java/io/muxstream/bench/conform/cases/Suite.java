package io.muxstream.bench.conform.cases;

import java.util.List;

/** All cases, in the order of the spec. */
public final class Suite {
    private Suite() {}

    /** All of them; the names are unique. */
    public static List<Case> cases() {
        CaseList list = new CaseList();
        FramingCases.addTo(list);
        HandshakeCases.addTo(list);
        ElementCases.addTo(list);
        IdCases.addTo(list);
        OfferCases.addTo(list);
        AnswerCases.addTo(list);
        LifeCases.addTo(list);
        FlowCases.addTo(list);
        GrowthCases.addTo(list);
        LimitCases.addTo(list);
        return list.all();
    }
}
