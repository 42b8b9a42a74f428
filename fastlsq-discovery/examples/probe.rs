use fastlsq_discovery::{*,datasets::DataSet};
fn main(){
    let a:Vec<String>=std::env::args().collect();
    let (s0,s1)=a[3].split_once("..").map_or((0,a[3].parse().unwrap()),|(a,b)|(a.parse().unwrap(),b.parse().unwrap()));
    let d=match a[1].as_str(){"osc"=>DataSet::damped_oscillator(10.0),"osc2"=>DataSet::damped_oscillator(6.283185307179586),"heat"=>DataSet::heat(),"burgers"=>DataSet::burgers(),"kdv"=>DataSet::korteweg_de_vries(),_=>DataSet::klein_gordon()};
    let lib=d.library().unwrap();
    let noise:f64=a[2].parse::<f64>().unwrap()*if d.axes.len()==1{1.0}else{d.rms()};
    for seed in s0..s1{
        let s=d.sample(2000,noise,seed).unwrap();
        let t=std::time::Instant::now();
        let r=Discovery::new(lib.clone(),d.target).unwrap().with(DiscoveryOptions::new().replicates(0)).run(&s).unwrap();
        let fit=r.fit.as_ref().unwrap();
        println!("seed {seed} {r} | sigma {:.2?} dof {:.1} noise {:.3e} (true {:.3e}) laws {} time {:.1}",fit.bandwidth(),fit.degrees_of_freedom(),fit.noise(),noise,r.laws.len(),t.elapsed().as_secs_f64());
        for w in &r.warnings{println!("    {w}");}
        let e:Vec<String>=r.terms.iter().map(|t|format!("{} {:+.2e} (cr {:.1e})",t.name,t.coefficient/d.coefficient(&lib,t.index)-1.0,t.cramer_rao.unwrap_or(0.0)/t.coefficient.abs())).collect();
        println!("    rel err {}",e.join(", "));
        for c in r.candidates.iter().take(2){println!("    cand {:?} {:?} res {:.1e} ho {:.1e} ic {:.1}",c.support,c.coefficients,c.residual,c.held_out,c.criterion);}
        for l in r.laws.iter().take(2){println!("    law {:?} {:?} bic {:.1} dof {:.1} eq {:.1e} {}",l.support,l.coefficients,l.criterion,l.degrees_of_freedom,l.equation_residual,l.enforced);}
    }
}
